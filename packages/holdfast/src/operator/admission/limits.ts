export interface AdmissionLimits {
  /** Requests under way in this process. */
  readonly maxRequests: number;
  /** Requests of one namespace that wait for a write. */
  readonly maxWaiting: number;
  /** Requests that share one write. Deciding them holds the process up, so there is an end to it. */
  readonly maxBatch: number;
  /**
   * Writes that may fail or lose the race before a batch is refused. Of three replicas that all write as fast as they can, each
   * loses two races of three: eight in a row would be one batch of twenty-five. Each request has its deadline besides.
   */
  readonly maxAttempts: number;
  /** The pause after the n-th lost race is chosen between 0 and base * 2^n, and never above the cap. */
  readonly pauseBaseMs: number;
  readonly pauseCapMs: number;
  /** How long one call of the API server may take: one that got lost must not use up the deadline of all that wait for it. */
  readonly callMs: number;
  /** How often a request is decided again because something that its verdict needs was missing. */
  readonly maxRounds: number;
  /** How long a request waits for the view of the pods. A view that lags longer is told to the client, with its reason. */
  readonly viewWaitMs: number;
  /** Pods that one verdict may rest on: each costs a read. */
  readonly maxReads: number;
  readonly readsAtOnce: number;
}

export const defaultAdmissionLimits: AdmissionLimits = {
  maxRequests: 10_000,
  maxWaiting: 5_000,
  maxBatch: 500,
  maxAttempts: 20,
  pauseBaseMs: 5,
  pauseCapMs: 250,
  callMs: 3_000,
  maxRounds: 4,
  viewWaitMs: 2_000,
  maxReads: 512,
  readsAtOnce: 16,
};

/** Full jitter: replicas that lost to one another do not meet again. */
export function pauseAfter(
  attempt: number,
  limits: Pick<AdmissionLimits, 'pauseBaseMs' | 'pauseCapMs'>,
  chance: number,
): number {
  return chance * Math.min(limits.pauseCapMs, limits.pauseBaseMs * 2 ** attempt);
}
