import { blocker, deny } from '../../core/decide/blocker.ts';
import type { Denied, Verdict } from '../../core/verdict.ts';
import type { BasisReading } from './verify.ts';

/** Refusals of the service itself. What cannot be written down is not allowed (I4), and that is "not now", like every other (I8). */

/** Nothing could be written down, or not in time. */
export function ledgerBusy(pod: string, detail: string): Denied {
  return deny([blocker('LedgerBusy', { pod: { name: pod }, detail })]);
}

/** Nothing was heard of what the verdict would rest on. */
export function staleView(pod: string, detail: string): Denied {
  return deny([blocker('NotSynced', { pod: { name: pod }, detail })]);
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
