import { blocker, deny } from '../../core/decide/refusal.ts';
import type { DisruptionRequest } from '../../core/request.ts';
import type { Denied, Verdict } from '../../core/verdict.ts';
import type { Verification } from './verify.ts';

/** Refusals of the admission itself. What cannot be written down is not allowed (I4), and that is "not now", like every other (I8). */

/** Nothing could be written down, or not in time. */
export function ledgerBusy(pod: string, detail: string): Denied {
  return deny([blocker('LedgerBusy', { pod: { name: pod }, detail })]);
}

/** The view that the verdict would rest on may be too old. */
export function staleView(pod: string, detail: string): Denied {
  return deny([blocker('NotSynced', { pod: { name: pod }, detail })]);
}

/** A pod that the verdict rests on has changed, or cannot be read. */
export function basisLost(reading: Exclude<Verification, { kind: 'holds' }>): Denied {
  const detail =
    reading.kind === 'changed'
      ? `it has moved on from resourceVersion ${reading.from} to ${reading.resourceVersion}`
      : `the verdict rests on it, and it could not be read: ${reading.message}`;
  return deny([blocker('PodUnknown', { pod: { name: reading.pod }, detail })]);
}

/** The deletion that should have completed the eviction did not. */
export function undone({ pod }: DisruptionRequest, message: string): Denied {
  const detail = `its eviction was allowed, and could not be completed: ${message}`;
  return deny([blocker('PodUnknown', { pod: { name: pod }, detail })]);
}

/** The eviction would pass, and could meet a successor of the pod that was judged. */
export function notPinned({ pod }: DisruptionRequest): Denied {
  return deny([blocker('EvictionNotPinned', { pod: { name: pod } })]);
}

export function undecided({ pod }: DisruptionRequest): Denied {
  return deny([blocker('LedgerUnknown', { pod: { name: pod }, detail: 'there was no time to decide it' })]);
}

export function isRefusedFor(verdict: Verdict, code: 'LedgerUnknown' | 'CacheStale' | 'PodUnknown'): boolean {
  return verdict.result === 'deny' && verdict.blockers.some((one) => one.code === code);
}

/** Another eviction was faster at the API server's own counter, in the moment since the view was asked. */
export function notCounted(
  { namespace, pod }: DisruptionRequest,
  { budget, why }: { readonly budget: string; readonly why: string },
): Denied {
  const ref = { kind: 'PodDisruptionBudget', namespace, name: budget } as const;
  return deny([blocker('NotCountedYet', { pod: { name: pod }, budget: ref, detail: why })]);
}
