import type { PassCode } from '../../api/reasons.ts';
import { bit } from '../health.ts';
import type { DisruptionRequest } from '../request.ts';
import type { NamespaceState } from '../world/namespace-state.ts';
import type { PodRecord } from '../world/pod-record.ts';
import type { PubState } from '../world/pub-state.ts';

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
export function exemptPod(state: NamespaceState, pod: PodRecord, request: DisruptionRequest): PassCode | undefined {
  if (pod.has(bit.terminating)) return 'Terminating';
  if (pod.has(bit.finished)) return 'Finished';
  if (isKubelet(pod, request)) return 'KubeletDelete';
  return pod.doomed && !isKeptIdle(state, pod, request) ? 'WorkloadGone' : undefined;
}

/** A PUB with a total of its own protects the pods of a workload that is scaled to 0 (X4). */
function isKeptIdle(state: NamespaceState, pod: PodRecord, { operation }: DisruptionRequest): boolean {
  if (!pod.idle) return false;
  const keeps = (pub: PubState): boolean => pub.overridesScale && pub.protects(operation) && !pub.leavesAlone(pod);
  return pod.pubs.some(keeps) || state.possiblePubs(pod).some(keeps);
}

function isKubelet(pod: PodRecord, request: DisruptionRequest): boolean {
  const { operation, requester } = request;
  return operation === 'DELETE' && requester?.kind === 'kubelet' && requester.node === pod.node;
}
