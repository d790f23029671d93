import type { TimeRange } from '../../parts/lane-scale.ts';

const hourMs = 3_600_000;
/** A page that was just opened would stretch its first seconds over the whole width. */
const leastMs = 300_000;

/** From the beginning of the record, at most an hour ago, until now. */
export function hourRange(recordedSince: number, now: number): TimeRange {
  const from = Math.max(now - hourMs, Math.min(recordedSince, now - leastMs));
  return { from, to: now };
}
