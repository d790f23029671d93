import type { PassCode } from '../../api/reasons.ts';
import { bit } from '../health.ts';
import type { DisruptionRequest } from '../request.ts';
import type { NamespaceState } from '../world/namespace-state.ts';
import type { PodRecord } from '../world/pod-record.ts';

/** Why nobody needs to judge this, if so (I7): nothing is lost, or the loss is not voluntary. */
export function exemption(state: NamespaceState, pod: PodRecord, request: DisruptionRequest): PassCode | undefined {
  if (pod.has(bit.terminating)) return 'Terminating';
  if (pod.has(bit.finished)) return 'Finished';
  const byRequester = requesterExemption(pod, request);
  if (byRequester !== undefined) return byRequester;
  if (pod.doomed) return 'WorkloadGone';
  if (pod.has(bit.pending)) return 'Pending';
  return state.unguarded ? 'NamespaceUnguarded' : undefined;
}

/** Who asks matters only here (X2): these delete what is dead already, whatever our view still says. */
function requesterExemption(pod: PodRecord, request: DisruptionRequest): PassCode | undefined {
  const requester = request.requester;
  if (request.operation !== 'DELETE' || requester === undefined) return undefined;
  if (requester.kind === 'kubelet') return requester.node === pod.node ? 'KubeletDelete' : undefined;
  return requester.kind === 'other' ? undefined : 'GarbageCollection';
}
