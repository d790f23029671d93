import type { PodRecord } from './pod-record.ts';

/** What one pod adds to the counters of its groups and budgets; or, as a difference, what a change adds and takes. */
export interface Share {
  readonly live: number;
  readonly existing: number;
  /** Counted and healthy, in the eyes of a PDB, of a PUB, and of Kubernetes itself. */
  readonly healthy: number;
  readonly healthyForPub: number;
  readonly plainHealthy: number;
  /** Healthy, and counted only if its reservation comes to nothing (N6), in the eyes of a PDB and of a PUB. */
  readonly unproven: number;
  readonly unprovenForPub: number;
}

export const nothing: Share = {
  live: 0,
  existing: 0,
  healthy: 0,
  healthyForPub: 0,
  plainHealthy: 0,
  unproven: 0,
  unprovenForPub: 0,
};

export function shareOf(pod: PodRecord): Share {
  const { counted, unproven } = pod;
  return {
    live: Number(pod.live),
    existing: Number(pod.exists),
    healthy: Number(counted && pod.healthy),
    healthyForPub: Number(counted && pod.healthyForPub),
    plainHealthy: Number(pod.plainHealthy),
    unproven: Number(unproven && pod.healthy),
    unprovenForPub: Number(unproven && pod.healthyForPub),
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
    unproven: after.unproven - before.unproven,
    unprovenForPub: after.unprovenForPub - before.unprovenForPub,
  };
  return Object.values(change).every((one) => one === 0) ? undefined : change;
}
