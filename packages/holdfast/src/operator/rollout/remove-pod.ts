import type { Removal } from '../../core/rollout/state.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Failure } from '../../kube/outcome/failure.ts';
import { resources } from '../../observe/resources.ts';

export type Removed =
  | { readonly kind: 'removed' }
  /** The pod changed since it was judged, or is deleted: judge again. */
  | { readonly kind: 'moved' }
  /** A budget or another webhook says no. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The API server gave no answer about this pod. `maybeDone`: it may have been removed all the same. */
  | { readonly kind: 'failed'; readonly message: string; readonly maybeDone: boolean };

export interface RemovalCall {
  readonly client: Pick<KubeClient, 'delete'>;
  readonly namespace: string;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** Gracefully, and only if the pod is still the one that was judged. Its volume claims are left alone here. */
export async function deleteJudgedPod(call: RemovalCall, { pod, uid, resourceVersion }: Removal): Promise<Removed> {
  const { client, namespace, deadlineMs, signal } = call;
  const options = { preconditions: { uid, resourceVersion } };
  const deleted = await client.delete(resources.pods, { namespace, name: pod }, options, { deadlineMs, signal });
  return deleted.ok ? { kind: 'removed' } : afterFailure(deleted.failure);
}

function afterFailure(failure: Failure): Removed {
  const { message } = failure;
  switch (failure.kind) {
    case 'conflict':
    case 'notFound':
      return { kind: 'moved' };
    case 'denied':
    case 'rejected':
      return { kind: 'refused', message };
    case 'tooManyRequests':
      return namesBudget(failure) ? { kind: 'refused', message } : { kind: 'failed', message, maybeDone: false };
    case 'retry':
    case 'aborted':
      return { kind: 'failed', message, maybeDone: failure.maybeDone };
    default:
      return { kind: 'failed', message, maybeDone: false };
  }
}

/** An API server that has too much to do says 429, too. */
function namesBudget({ status }: Failure): boolean {
  return status?.details?.causes?.some(({ reason }) => reason === 'DisruptionBudget') ?? false;
}
