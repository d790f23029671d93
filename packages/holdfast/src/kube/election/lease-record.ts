import type { Lease } from 'kubernetes-types/coordination/v1.js';
import { microTimestamp } from '../time/clock.ts';

/** What a candidate knows of the lease, and since when by its own clock. */
export interface Observation {
  readonly lease: Lease;
  /** When the lease was first seen to be like this: monotonic, and the observer's. Other machines' clocks may be wrong. */
  readonly at: number;
}

export interface ElectionCandidate {
  readonly identity: string;
  readonly leaseDurationMs: number;
}

/** A lease that changed was renewed just now, whatever times are written in it. */
export function observeLease(previous: Observation | undefined, lease: Lease, monotonic: number): Observation {
  if (previous !== undefined && sameSpec(previous.lease, lease)) return { lease, at: previous.at };
  return { lease, at: monotonic };
}

/** The time at which the holder's claim ends, unless it is renewed. Undefined: it has no holder. */
function expiry({ lease, at }: Observation, candidate: ElectionCandidate): number | undefined {
  const { holderIdentity, leaseDurationSeconds } = lease.spec ?? {};
  if (holderIdentity === undefined || holderIdentity === null || holderIdentity === '') return undefined;
  const promised = typeof leaseDurationSeconds === 'number' && leaseDurationSeconds > 0;
  return at + (promised ? leaseDurationSeconds * 1000 : candidate.leaseDurationMs);
}

export function isHeldBy(lease: Lease, identity: string): boolean {
  return lease.spec?.holderIdentity === identity;
}

/** May this candidate write itself in? */
export function mayTake(seen: Observation, candidate: ElectionCandidate, monotonic: number): boolean {
  if (isHeldBy(seen.lease, candidate.identity)) return true;
  const end = expiry(seen, candidate);
  return end === undefined || end <= monotonic;
}

/** The lease with this candidate as its holder; its resourceVersion stays, so that only one writer succeeds. */
export function claimed(lease: Lease, candidate: ElectionCandidate, now: number): Lease {
  const held = isHeldBy(lease, candidate.identity);
  const transitions = lease.spec?.leaseTransitions ?? 0;
  const time = microTimestamp(now);
  return {
    ...lease,
    spec: {
      ...lease.spec,
      holderIdentity: candidate.identity,
      leaseDurationSeconds: Math.ceil(candidate.leaseDurationMs / 1000),
      acquireTime: held ? (lease.spec?.acquireTime ?? time) : time,
      renewTime: time,
      leaseTransitions: held ? transitions : transitions + 1,
    },
  };
}

export function firstClaim(
  place: { namespace: string; name: string },
  candidate: ElectionCandidate,
  now: number,
): Lease {
  const empty: Lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { ...place } };
  const lease = claimed(empty, candidate, now);
  return { ...lease, spec: { ...lease.spec, leaseTransitions: 0 } };
}

/** Others need not wait for it to run out. */
export function released(lease: Lease, now: number): Lease {
  const time = microTimestamp(now);
  return {
    ...lease,
    spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time },
  };
}

function sameSpec(left: Lease, right: Lease): boolean {
  return (
    left.spec?.holderIdentity === right.spec?.holderIdentity &&
    left.spec?.renewTime === right.spec?.renewTime &&
    left.spec?.acquireTime === right.spec?.acquireTime &&
    left.spec?.leaseTransitions === right.spec?.leaseTransitions &&
    left.metadata?.resourceVersion === right.metadata?.resourceVersion
  );
}
