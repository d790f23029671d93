import type { PodRecord } from './pod-record.ts';

/** What one pod adds to what its unit has; or, as a difference, what a change adds and takes. */
export interface Strength {
  /** Counted and healthy (N2). */
  readonly healthy: number;
  /** Counted, and Ready or healthy: a probe that says no takes nothing from it (H5). */
  readonly serving: number;
  /** Healthy, or serving, and counted only if its reservation comes to nothing (N6). */
  readonly unproven: number;
  readonly unprovenServing: number;
}

/** What one pod adds to the counters of its groups and budgets; or, as a difference, what a change adds and takes. */
export interface Share {
  readonly live: number;
  readonly existing: number;
  /** In the eyes of Kubernetes itself, of a PDB and of a PUB. */
  readonly plainHealthy: number;
  readonly pdb: Strength;
  readonly pub: Strength;
  /** What the pod adds for a PUB whose own total overrides a workload's scale of 0 (U3). */
  readonly idle: Strength;
}

const noStrength: Strength = { healthy: 0, serving: 0, unproven: 0, unprovenServing: 0 };

export const nothing: Share = {
  live: 0,
  existing: 0,
  plainHealthy: 0,
  pdb: noStrength,
  pub: noStrength,
  idle: noStrength,
};

export function shareOf(pod: PodRecord): Share {
  const forPub =
    pod.live && (!pod.doomed || pod.idle) ? strength(pod, pod.healthyForPub, pod.servesForPub) : noStrength;
  return {
    live: Number(pod.live),
    existing: Number(pod.exists),
    plainHealthy: Number(pod.plainHealthy),
    pdb: pod.live && !pod.doomed ? strength(pod, pod.healthy, pod.serves) : noStrength,
    pub: pod.idle ? noStrength : forPub,
    idle: pod.idle ? forPub : noStrength,
  };
}

function strength({ reserved }: PodRecord, healthy: boolean, serves: boolean): Strength {
  if (reserved === undefined) {
    return { healthy: Number(healthy), serving: Number(serves), unproven: 0, unprovenServing: 0 };
  }
  if (reserved === 'firm') return noStrength;
  return { healthy: 0, serving: 0, unproven: Number(healthy), unprovenServing: Number(serves) };
}

/** Undefined when nothing changed, as with most of what a watch brings. */
export function difference(before: Share, after: Share): Share | undefined {
  const change: Share = {
    live: after.live - before.live,
    existing: after.existing - before.existing,
    plainHealthy: after.plainHealthy - before.plainHealthy,
    pdb: between(before.pdb, after.pdb),
    pub: between(before.pub, after.pub),
    idle: between(before.idle, after.idle),
  };
  const { live, existing, plainHealthy, pdb, pub, idle } = change;
  const same = pdb === noStrength && pub === noStrength && idle === noStrength;
  return same && live === 0 && existing === 0 && plainHealthy === 0 ? undefined : change;
}

function between(before: Strength, after: Strength): Strength {
  const change = {
    healthy: after.healthy - before.healthy,
    serving: after.serving - before.serving,
    unproven: after.unproven - before.unproven,
    unprovenServing: after.unprovenServing - before.unprovenServing,
  };
  const { healthy, serving, unproven, unprovenServing } = change;
  return healthy === 0 && serving === 0 && unproven === 0 && unprovenServing === 0 ? noStrength : change;
}

export function sumOf(a: Strength, b: Strength): Strength {
  if (b === noStrength) return a;
  return {
    healthy: a.healthy + b.healthy,
    serving: a.serving + b.serving,
    unproven: a.unproven + b.unproven,
    unprovenServing: a.unprovenServing + b.unprovenServing,
  };
}
