/** How many healthy pods make a group available. Between the two it is not known whether it is whole (U2, G5). */
export interface Bounds {
  /** With as many it is available for certain. */
  readonly enough: number;
  /** With fewer it is down for certain. */
  readonly least: number;
}

export function exactly(minimum: number): Bounds {
  return { least: minimum, enough: minimum };
}

/** The minimum of a group that may have fewer pods. Never less than one: a group without pods is not available. */
export function atMost(size: number, minimum: number): number {
  return Math.max(1, Math.min(minimum, size));
}
