import { blocker, deny } from '../../core/decide/blocker.ts';
import type { Denied, Verdict } from '../../core/verdict.ts';
import type { BasisReading } from './read-basis.ts';

/** Refusals of the service itself. What cannot be written down is not allowed (I4), and that is "not now", like every other (I8). */

/** The ledger could not be read or written, or not in time. */
export function ledgerBusy(pod: string, detail: string): Denied {
  return deny([blocker('LedgerUnknown', { pod: { name: pod }, detail })]);
}

/** The unit looks down because of a reservation that may have had no ground. */
export function unproven(pod: string, other: string): Denied {
  return ledgerBusy(pod, `whether ${other} goes, because of which this pod would be free to go, is not seen yet`);
}

/** A pod that the verdict rests on has moved on, or cannot be read. */
export function basisLost(reading: Exclude<BasisReading, { kind: 'holds' }>): Denied {
  const detail =
    reading.kind === 'moved'
      ? `it has moved on from resourceVersion ${reading.from} to ${reading.resourceVersion}`
      : `the verdict rests on it, and it could not be read: ${reading.message}`;
  return deny([blocker('PodUnknown', { pod: { name: reading.pod }, detail })]);
}

export function isRefusedFor(verdict: Verdict, code: 'LedgerUnknown' | 'CacheStale'): boolean {
  return verdict.result === 'deny' && verdict.blockers.some((one) => one.code === code);
}
