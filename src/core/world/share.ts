import type { PodRecord } from './pod-record.ts';

/** What one pod adds to the counters of its groups and budgets; or, as a difference, what a change adds and takes. */
export interface Share {
  readonly live: number;
  readonly existing: number;
  /** Counted and healthy, in the eyes of a PDB, of a PUB, and of Kubernetes itself. */
  readonly healthy: number;
  readonly healthyForPub: number;
  readonly plainHealthy: number;
}

export const nothing: Share = { live: 0, existing: 0, healthy: 0, healthyForPub: 0, plainHealthy: 0 };

export function shareOf(pod: PodRecord): Share {
  const counted = pod.counted;
  return {
    live: Number(pod.live),
    existing: Number(pod.exists),
    healthy: Number(counted && pod.healthy),
    healthyForPub: Number(counted && pod.healthyForPub),
    plainHealthy: Number(pod.plainHealthy),
  };
}

/** Undefined when nothing changed, as with most of what a watch brings. */
export function difference(before: Share, after: Share): Share | undefined {
  const change: Share = {
    live: after.live - before.live,
    existing: after.existing - before.existing,
    healthy: after.healthy - before.healthy,
    healthyForPub: after.healthyForPub - before.healthyForPub,
    plainHealthy: after.plainHealthy - before.plainHealthy,
  };
  return Object.values(change).every((one) => one === 0) ? undefined : change;
}
