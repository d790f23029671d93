/**
 * How many bins of one size these items need at least. Items above half a bin never share one with each other; what those above
 * `cut` leave free takes in the middle ones; the rest is volume. Each cut gives a bound, and the best one counts.
 */
export function binBound(sizes: readonly number[], bin: number): number {
  if (!(bin > 0) || !Number.isFinite(bin)) return sizes.length > 0 ? 1 : 0;
  const cuts = new Set([0, ...sizes.filter((size) => size <= bin / 2)]);
  let best = 0;
  for (const cut of cuts) best = Math.max(best, boundAt(sizes, bin, cut));
  return best;
}

function boundAt(sizes: readonly number[], bin: number, cut: number): number {
  let alone = 0;
  let large = 0;
  let largeVolume = 0;
  let middleVolume = 0;
  for (const size of sizes) {
    if (size > bin - cut) alone += 1;
    else if (size > bin / 2) {
      large += 1;
      largeVolume += size;
    } else if (size >= cut) middleVolume += size;
  }
  const spill = middleVolume - (large * bin - largeVolume);
  return alone + large + Math.max(0, Math.ceil(spill / bin));
}
