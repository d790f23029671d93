import { label } from '../../../src/api/names.ts';
import type { Pod } from '../../../src/api/pod.ts';
import type { PassCode } from '../../../src/api/refusals/reasons.ts';
import type { DisruptionRequest } from '../../../src/core/request.ts';
import { isDoomed } from './owners.ts';
import { isFinished, isTerminating, type NaiveState } from './state.ts';

/** Every reason for which a request passes without being judged. Which one is named is not specified. */
export function exemptions(state: NaiveState, request: DisruptionRequest, pod: Pod | undefined): readonly PassCode[] {
  const found: PassCode[] = [...namespaceExemptions(state, request.namespace), ...requesterExemptions(request, pod)];
  if (pod === undefined) return found;
  if (isTerminating(pod)) found.push('Terminating');
  if (isFinished(pod)) found.push('Finished');
  if (isDoomed(state, pod)) found.push('WorkloadGone');
  return found;
}

/** X3 */
function namespaceExemptions(state: NaiveState, name: string): readonly PassCode[] {
  const namespace = state.namespaces.find(({ metadata }) => metadata.name === name);
  const isEnding = namespace?.metadata.deletionTimestamp !== undefined || namespace?.status?.phase === 'Terminating';
  const isLeftAlone = namespace?.metadata.labels?.[label.guard] === 'disabled';
  return [
    ...(isEnding ? (['NamespaceTerminating'] as const) : []),
    ...(isLeftAlone ? (['NamespaceUnguarded'] as const) : []),
  ];
}

/** X2 */
function requesterExemptions(request: DisruptionRequest, pod: Pod | undefined): readonly PassCode[] {
  const { operation, requester, takesAway } = request;
  const takesNothing = operation === 'UPDATE' && takesAway === false;
  if (takesNothing && requester?.kind === 'garbageCollector') return ['GarbageCollection'];
  if (operation !== 'DELETE' || requester === undefined) return [];
  if (requester.kind === 'scheduler') return ['Preemption'];
  if (requester.kind === 'garbageCollector' || requester.kind === 'podGarbageCollector') return ['GarbageCollection'];
  const isOwnNode = requester.kind === 'kubelet' && pod !== undefined && requester.node === pod.spec?.nodeName;
  return isOwnNode ? ['KubeletDelete'] : [];
}
