/**
 * The agent of a node renews one lease. `renewedAt` is when the renewal was *observed*, on the clock of the observer
 * (milliseconds), so that a node whose clock is wrong is neither fresh forever nor stale at once.
 */
export interface ProbeLease {
  readonly renewedAt: number;
  readonly durationSeconds: number;
  /** The uids of the pods that it speaks for. Absent: of all pods of its node. */
  readonly pods?: ReadonlySet<string>;
}

export function leaseExpiry(lease: ProbeLease): number {
  return lease.renewedAt + lease.durationSeconds * 1000;
}
