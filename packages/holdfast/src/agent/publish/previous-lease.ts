import type { Lease } from 'kubernetes-types/coordination/v1.js';
import { readProbeLease } from '../../api/probe-lease.ts';
import type { Standing } from '../verdict.ts';

/** What an agent finds when it starts: what its predecessor said last, and for how long readers may still believe it. */
export interface PreviousLease {
  readonly uids: ReadonlySet<string>;
  /** Milliseconds since 1970, by the clock of its writer: that of this node, unless something is wrong. */
  readonly renewedAt: number;
  readonly durationMs: number;
}

/** Undefined: the lease says nothing that could be kept. */
export function previousLeaseOf(lease: Lease): PreviousLease | undefined {
  const read = readProbeLease(lease);
  const renewedAt = Date.parse(lease.spec?.renewTime ?? '');
  if (!read.ok || read.value.disruptable.size === 0 || Number.isNaN(renewedAt)) return undefined;
  return { uids: read.value.disruptable, renewedAt, durationMs: read.value.durationSeconds * 1000 };
}

export interface PreviousLeaseTerms {
  readonly now: number;
  /** Since the previous was found, on the monotonic clock. */
  readonly waitedMs: number;
  /** Undefined: there is no such pod here any more. */
  readonly standing: (uid: string) => Standing | undefined;
}

/**
 * Whether to leave the lease to itself. It is not renewed meanwhile, so the operator trusts it no longer than it would have without
 * this agent; and it is taken as soon as this agent knows better about any of its pods, or about all of them.
 */
export function mayKeepPreviousLease(
  previous: PreviousLease,
  { now, waitedMs, standing }: PreviousLeaseTerms,
): boolean {
  const ageMs = now - previous.renewedAt;
  if (ageMs < 0 || Math.max(ageMs, waitedMs) >= previous.durationMs) return false;
  const standings = [...previous.uids].map(standing);
  return standings.includes('unasked') && !standings.includes('no');
}
