import { isObject } from '@holdfast/base/json';
import { condition } from '../../api/names.ts';
import type { Pod } from '../../api/pod.ts';
import { runsOf } from '../../core/container-runs.ts';
import type { RequestedChange } from '../../core/ledger/change-record.ts';
import type { ChangeEnd } from '../../core/pod-change.ts';
import type { DisruptionRequest } from '../../core/request.ts';
import { Interner } from '../../kube/projection/interner.ts';
import { projectPod } from '../../kube/projection/pod.ts';

/** What an update of a pod does, in the words of the one who asks when it is over. */
export type ChangeEffect = ChangeEnd | 'move' | 'resize' | 'announcement';

/** What a reservation for the update has to record (L8). Nothing where the pod does not say which version of it is meant. */
export function requestedChange(before: unknown, effect: ChangeEffect): Pick<DisruptionRequest, 'change'> {
  const pod = readPod(before);
  const resourceVersion = pod?.metadata.resourceVersion;
  if (pod === undefined || resourceVersion === undefined) return {};
  const restarts = typeof effect === 'object' && effect.kind === 'restarts' ? effect.containers : [];
  const { generation = 0 } = pod.metadata;
  return { change: { resourceVersion, generation, runs: runsOf(pod), kind: kindOf(effect), restarts } };
}

function kindOf(effect: ChangeEffect): RequestedChange['kind'] {
  if (effect === 'announcement') return 'announcement';
  if (effect === 'move') return 'membership';
  if (effect === 'resize' || effect.kind === 'restarts') return 'spec';
  return effect.kind === 'label' ? 'membership' : 'unknown';
}

/** Whether a controller takes the pod out of service, by the readiness gate that announces an update in place. */
export function announcesUpdate(before: unknown, after: unknown): boolean {
  const gates = readPod(before)?.spec?.readinessGates ?? [];
  const isGate = gates.some(({ conditionType }) => conditionType === condition.inPlaceUpdateReady);
  return isGate && gateOf(before) !== 'False' && gateOf(after) === 'False';
}

function gateOf(pod: unknown): string | undefined {
  return readPod(pod)?.status?.conditions?.find(({ type }) => type === condition.inPlaceUpdateReady)?.status;
}

/** As the view reads pods, so that the two can be compared. */
function readPod(source: unknown): Pod | undefined {
  const metadata = isObject(source) ? source['metadata'] : undefined;
  if (!isObject(source) || !isObject(metadata) || typeof metadata['name'] !== 'string') return undefined;
  return projectPod(source, { interner: new Interner(), keepAnnotation: () => false });
}
