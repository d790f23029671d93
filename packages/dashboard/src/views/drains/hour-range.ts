import type { TimeRange } from '../../parts/lane-scale.ts';
import { clockText } from '../../words/time.ts';

const hourMs = 3_600_000;
/** A page that was just opened would stretch its first seconds over the whole width. */
const leastMs = 60_000;

/** Below this, two labels of the axis would be in the same minute. */
const shortMs = 600_000;

/** Labels of the axis: with seconds where minutes do not tell them apart. */
export function tickTextFor({ from, to }: TimeRange): (at: number) => string {
  return to - from < shortMs ? clockText : (at) => clockText(at).slice(0, 5);
}

/** From the beginning of the record, at most an hour ago, until now. */
export function hourRange(recordedSince: number, now: number): TimeRange {
  const from = Math.max(now - hourMs, Math.min(recordedSince, now - leastMs));
  return { from, to: now };
}
