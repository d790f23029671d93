import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Backoff, nextDelay } from '../../src/kube/time/backoff.ts';
import { microTimestamp, realClock, sleep, timestamp } from '../../src/kube/time/clock.ts';
import { TestClock } from './support/test-clock.ts';

describe('waiting between attempts', () => {
  test('stays between the base and the cap, and below three times the wait before', () => {
    const anyChance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.array(anyChance, { minLength: 1 }), (chances) => {
        const limits = { baseMs: 100, capMs: 10_000 };
        let previous = 100;
        for (const chance of chances) {
          const next = nextDelay(previous, limits, chance);
          expect(next).toBeGreaterThanOrEqual(100);
          expect(next).toBeLessThanOrEqual(Math.min(10_000, previous * 3));
          previous = next;
        }
      }),
    );
  });

  test('grows while things fail, and is short again after a success', () => {
    const backoff = new Backoff({ baseMs: 100, capMs: 5_000 }, () => 0.9);
    const delays = Array.from({ length: 6 }, () => backoff.next());
    expect(delays).toEqual([...delays].sort((a, b) => a - b));
    expect(delays.at(-1)).toBe(5_000);
    backoff.reset();
    expect(backoff.next()).toBe(delays[0]);
  });
});

describe('sleeping', () => {
  test('ends when the time has come, or the signal', async () => {
    const clock = new TestClock();
    const control = new AbortController();
    const slept: unknown[] = [];
    void sleep(clock, 100).then((whole) => slept.push(['first', whole]));
    void sleep(clock, 10_000, control.signal).then((whole) => slept.push(['second', whole]));
    await clock.advance(100);
    control.abort();
    await clock.advance(0);
    expect(slept).toEqual([
      ['first', true],
      ['second', false],
    ]);
    expect(await sleep(clock, 100, control.signal)).toBe(false);
  });

  test('really takes time', async () => {
    const start = realClock.monotonic();
    expect(await sleep(realClock, 20)).toBe(true);
    expect(realClock.monotonic() - start).toBeGreaterThanOrEqual(19);
  });
});

test('times are written as Kubernetes writes them', () => {
  const time = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
  expect([timestamp(time), microTimestamp(time)]).toEqual(['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.678000Z']);
});
