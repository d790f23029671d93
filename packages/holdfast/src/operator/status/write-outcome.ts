import type { Failure } from '../../kube/outcome/failure.ts';
import type { Reconciled } from '../../kube/queue/workqueue.ts';

/** How a write ended, as metrics count it. */
export type WriteOutcome = 'written' | 'conflict' | 'gone' | 'failed';

export function writeOutcome(failure: Failure | undefined): WriteOutcome {
  if (failure === undefined) return 'written';
  if (failure.kind === 'conflict') return 'conflict';
  return failure.kind === 'notFound' ? 'gone' : 'failed';
}

/** A failed status is never sent again as it was: the next one is computed from the current world. */
export function afterFailure(failure: Failure): Reconciled {
  switch (failure.kind) {
    // It went, or we do.
    case 'notFound':
    case 'aborted':
      return { kind: 'done' };
    case 'retry':
    case 'tooManyRequests':
      return failure.retryAfterMs === undefined
        ? { kind: 'failed' }
        : { kind: 'again', afterMs: Math.max(minRetryMs, failure.retryAfterMs) };
    default:
      return { kind: 'failed' };
  }
}

const minRetryMs = 100;

/** Failures that do not go away by themselves: they are logged for the cluster's administrator. */
export function needsAttention({ kind }: Failure): boolean {
  return kind === 'denied' || kind === 'rejected';
}
