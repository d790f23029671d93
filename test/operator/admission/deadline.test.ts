import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deadlineFor, parseGoDuration } from '../../../src/operator/admission/deadline.ts';

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

describe('a deadline', () => {
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
