import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Deadline, deadlineFor, parseGoDuration } from '../../../src/operator/admission/deadline.ts';
import { TestClock } from '../../kube/support/test-clock.ts';

describe('a duration of Go', () => {
  it.each([
    ['10s', 10_000],
    ['1m30s', 90_000],
    ['1.5s', 1_500],
    ['500ms', 500],
    ['1h', 3_600_000],
    ['250us', 0.25],
    ['250µs', 0.25],
    ['0s', 0],
  ])('%s is %d milliseconds', (text, expected) => {
    expect(parseGoDuration(text)).toBeCloseTo(expected, 6);
  });

  it.each([[''], ['10'], ['s'], ['-1s'], ['1 s'], ['1d'], ['1s;'], ['1e3s'], ['9'.repeat(400)], ['1s'.repeat(7)]])(
    '%j is none',
    (text) => {
      expect(parseGoDuration(text)).toBeUndefined();
    },
  );
});

describe('how long an answer may take', () => {
  it('is never after the API server has stopped waiting, for every wait that it can be set to', () => {
    for (let seconds = 1; seconds <= 30; seconds += 1) {
      const deadline = deadlineFor(`timeout=${seconds}s`);
      expect(deadline).toBeLessThanOrEqual(seconds * 1_000 - 200);
      expect(deadline).toBeGreaterThanOrEqual(seconds * 800);
    }
  });

  it('is between its limits, whatever the query', () => {
    fc.assert(
      fc.property(fc.string(), (query) => {
        for (const text of [query, `timeout=${query}`]) {
          expect(deadlineFor(text)).toBeGreaterThanOrEqual(50);
          expect(deadlineFor(text)).toBeLessThanOrEqual(29_000);
        }
      }),
    );
  });
});

describe('the deadline of a request', () => {
  it('tells a signal that was asked for before, and one that is asked for afterwards', async () => {
    const clock = new TestClock();
    const early = new Deadline(clock, 100);
    const { signal } = early;
    expect([signal.aborted, early.over, early.leftMs]).toEqual([false, false, 100]);
    await clock.advance(100);
    expect([signal.aborted, signal.reason]).toEqual([true, 'late']);

    const late = new Deadline(clock, 100);
    late.end('gone');
    expect([late.signal.aborted, late.signal.reason, late.over, late.leftMs]).toEqual([true, 'gone', true, 0]);
    expect(late.signal).toBe(late.signal);
  });

  it('has the first reason for good, and tells of it once', async () => {
    const clock = new TestClock();
    const deadline = new Deadline(clock, 100);
    const heard: string[] = [];
    deadline.onEnd((reason) => heard.push(reason));
    deadline.end('gone');
    await clock.advance(200);
    expect(heard).toEqual(['gone']);
    expect(deadline.reason).toBe('gone');
  });

  it('tells at once who listens too late, and not who unsubscribed', () => {
    const deadline = new Deadline(new TestClock(), 100);
    const heard: string[] = [];
    deadline.onEnd(() => heard.push('before'))();
    deadline.end('late');
    expect(heard).toEqual([]);
    deadline.onEnd((reason) => heard.push(reason));
    expect(heard).toEqual(['late']);
  });

  it('is never left with less than nothing, also where its timer is late', async () => {
    const clock = new TestClock();
    const stuck = { monotonic: () => clock.monotonic(), after: () => ({ cancel: () => undefined }) };
    const deadline = new Deadline(stuck, 100);
    await clock.advance(500);
    expect([deadline.leftMs, deadline.over, deadline.reason]).toEqual([0, true, undefined]);
  });

  it.each([
    ['its own time is up', 50, 'late'],
    ['the request is over', 5_000, 'gone'],
  ] as const)('has shorter ones within it, which end when %s', async (_, ms, reason) => {
    const clock = new TestClock();
    const deadline = new Deadline(clock, 1_000);
    const wait = deadline.within(ms);
    await clock.advance(60);
    deadline.end('gone');
    expect(wait.signal.reason).toBe(reason);
    wait.release();
  });
});
