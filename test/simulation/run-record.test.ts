import { expect, test } from 'vitest';
import { RunRecord } from './run-record.ts';
import type { Outcome } from './spread.ts';

const terms = { first: 1_001, count: 300, keepGoing: false, elapsed: () => 5_000 };
const good = (seed: number): Outcome => ({ seed, violation: undefined, transcript: ['not told'], disruptions: 3 });
const bad = (seed: number): Outcome => ({
  seed,
  violation: { clause: 'I1', at: 0, message: 'one too many' },
  transcript: ['t+0 it began'],
  disruptions: 3,
});

function noted(record: RunRecord, outcomes: readonly Outcome[]): readonly string[] {
  return outcomes.flatMap((outcome) => record.note(outcome).lines);
}

test('a run tells how far it is, and how to go on when it was stopped', () => {
  const record = new RunRecord(terms);
  const seeds = Array.from({ length: 120 }, (_, index) => 1_001 + index);
  expect(noted(record, seeds.map(good))).toEqual([
    'seeds 1001 to 1100: 100 schedules, 300 disruptions, 5 s, none failed',
  ]);
  expect(record.summary()).toEqual([
    'seeds 1001 to 1120: 120 schedules, 360 disruptions, 5 s, none failed',
    'go on: npm run test:simulation -- 180 1121',
  ]);
  expect(record.exitCode).toBe(0);
});

test('a schedule that fails is told with its transcript, ends the run, and makes it fail', () => {
  const record = new RunRecord(terms);
  const { lines, isOver } = record.note(bad(1_001));
  expect(lines).toEqual([
    't+0 it began',
    'seed 1001 breaks I1: one too many',
    'again: npm run test:simulation -- 1 1001',
  ]);
  expect([isOver, record.exitCode]).toEqual([true, 1]);
});

test('a run that keeps going lists all that failed', () => {
  const record = new RunRecord({ ...terms, count: 3, keepGoing: true });
  expect([bad(1_001), good(1_002), bad(1_003)].map((one) => record.note(one).isOver)).toEqual([false, false, false]);
  expect(record.summary()).toEqual(['seeds 1001 to 1003: 3 schedules, 9 disruptions, 5 s, failed: 1001, 1003']);
  expect(record.exitCode).toBe(1);
});
