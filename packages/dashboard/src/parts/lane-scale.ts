export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** A place between the two ends, in percent; what lies outside is moved to the nearer end. */
export function placeOf(at: number, { from, to }: TimeRange): number {
  const length = Math.max(1, to - from);
  return Math.min(100, Math.max(0, ((at - from) / length) * 100));
}

/** Where the label of a moment stands to its line: at the ends of the scale it would reach beyond them. */
export function labelSide(place: number): 'left' | 'middle' | 'right' {
  if (place < 4) return 'right';
  return place > 96 ? 'left' : 'middle';
}

const second = 1_000;
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400];
/** More labels than this run into each other on a narrow screen. */
const maxTicks = 6;

/** Round moments between the two ends. */
export function gridOf({ from, to }: TimeRange): readonly number[] {
  const length = to - from;
  const step = (steps.find((seconds) => length / (seconds * second) <= maxTicks) ?? 86_400) * second;
  const first = Math.ceil(from / step) * step;
  const ticks: number[] = [];
  for (let at = first; at <= to; at += step) ticks.push(at);
  return ticks;
}
