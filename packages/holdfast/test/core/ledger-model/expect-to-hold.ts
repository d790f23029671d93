import { expect } from 'vitest';
import { runSchedules } from './run-schedules.ts';
import type { Stage } from './schedule.ts';

export function expectToHold(stage: Stage, first: number, count: number): void {
  const outcome = runSchedules(stage, first, count);
  if (!outcome.ok) expect.fail(`seed ${outcome.seed}: ${outcome.error}\n${outcome.transcript.join('\n')}`);
  // A model in which nothing happens proves nothing.
  expect(outcome.stats.admitted).toBeGreaterThan(count);
  expect(outcome.stats.refused).toBeGreaterThan(count);
  expect(outcome.stats.conflicts).toBeGreaterThan(count / 2);
  expect(outcome.stats.crashes).toBeGreaterThan(count / 2);
  expect(outcome.stats.stopped).toBeGreaterThan(count / 10);
  expect(outcome.stats.returned).toBeGreaterThan(count / 10);
  if (stage === 'ours') expect(outcome.stats.withdrawn).toBeGreaterThan(count / 10);
}
