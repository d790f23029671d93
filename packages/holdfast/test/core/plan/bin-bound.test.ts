import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { binBound } from '../../../src/core/plan/bin-bound.ts';

/** The fewest bins, by putting each item into every bin that has room, and into a new one. */
function fewestBins(sizes: readonly number[], bin: number, bins: readonly number[] = []): number {
  const [size, ...rest] = sizes;
  if (size === undefined) return bins.length;
  let best = fewestBins(rest, bin, [...bins, size]);
  bins.forEach((used, i) => {
    if (used + size > bin) return;
    best = Math.min(best, fewestBins(rest, bin, bins.with(i, used + size)));
  });
  return best;
}

describe('the bound for bins', () => {
  it('is never more than brute force needs', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 }),
        fc.array(fc.integer({ min: 1, max: 10 }), { maxLength: 7 }),
        (bin, all) => {
          const sizes = all.filter((size) => size <= bin);
          expect(binBound(sizes, bin)).toBeLessThanOrEqual(fewestBins(sizes, bin));
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    { title: 'items above half a bin never share one with each other', sizes: [6, 6, 6], bin: 10, want: 3 },
    { title: 'volume counts', sizes: [5, 5, 5], bin: 10, want: 2 },
    { title: 'what large ones leave free takes in small ones', sizes: [6, 6, 4, 4], bin: 10, want: 2 },
    { title: 'and what does not fit there needs more', sizes: [7, 7, 4, 4], bin: 10, want: 3 },
    { title: 'nothing needs nothing', sizes: [], bin: 10, want: 0 },
    { title: 'a bin without end takes everything', sizes: [5, 6], bin: Number.POSITIVE_INFINITY, want: 1 },
  ])('$title', ({ sizes, bin, want }) => {
    expect(binBound(sizes, bin)).toBe(want);
  });
});
