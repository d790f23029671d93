import type { PassCode } from '../../api/reasons.ts';
import { bit } from '../health.ts';
import type { DisruptionRequest } from '../request.ts';
import type { NamespaceState } from '../world/namespace-state.ts';
import type { PodRecord } from '../world/pod-record.ts';

/** Why nobody needs to judge this, whatever the pod is like, which may not even be in view (X2, X3). */
export function exemptRequest(state: NamespaceState | undefined, request: DisruptionRequest): PassCode | undefined {
  if (state?.terminating) return 'NamespaceTerminating';
  return exemptRequester(request) ?? (state?.unguarded ? 'NamespaceUnguarded' : undefined);
}

function exemptRequester({ operation, requester, takesAway }: DisruptionRequest): PassCode | undefined {
  const kind = requester?.kind;
  // These delete what is dead already, whatever our view still says.
  if (operation === 'DELETE') {
    if (kind === 'garbageCollector' || kind === 'podGarbageCollector') return 'GarbageCollection';
    // Urgent pods do not wait, least of all those of the operator itself.
    return kind === 'scheduler' ? 'Preemption' : undefined;
  }
  // It takes references off the pods of an owner that is deleted and leaves them.
  const orphans = operation === 'UPDATE' && takesAway === false && kind === 'garbageCollector';
  return orphans ? 'GarbageCollection' : undefined;
}

/** Why nobody needs to judge this pod (I7): nothing is lost, or the loss is not voluntary. */
export function exemptPod(pod: PodRecord, request: DisruptionRequest): PassCode | undefined {
  if (pod.has(bit.terminating)) return 'Terminating';
  if (pod.has(bit.finished)) return 'Finished';
  if (isKubelet(pod, request)) return 'KubeletDelete';
  return pod.doomed ? 'WorkloadGone' : undefined;
}

function isKubelet(pod: PodRecord, request: DisruptionRequest): boolean {
  const { operation, requester } = request;
  return operation === 'DELETE' && requester?.kind === 'kubelet' && requester.node === pod.node;
}
