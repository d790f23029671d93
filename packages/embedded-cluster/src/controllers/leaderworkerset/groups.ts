/** The groups of a LeaderWorkerSet as they are: a leader pod, and the StatefulSet of its workers. */

import type { View } from '../../view.ts';
import { isReady, podPhaseOf } from '../common/pods.ts';
import type { PodObject, StatefulSetObject } from '../common/workloads.ts';
import * as keys from './keys.ts';
import { type LwsObject, sizeOf } from './lws-object.ts';
import { isLeader } from './pod-mutation.ts';
import { revisionKeyOf } from './revision.ts';
import type { GroupState } from './rollout.ts';

export interface Group extends GroupState {
  readonly index: number;
}

/** By index. A group without its leader or without the StatefulSet of its workers is not there. */
export function groupsIn(
  view: View,
  lws: LwsObject,
  leaders: StatefulSetObject,
  revision: string,
): ReadonlyMap<number, Group> {
  const groups = new Map<number, Group>();
  const alone = sizeOf(lws) === 1;
  for (const pod of view.controlledBy<PodObject>('pods', leaders.metadata.uid ?? '')) {
    const index = Number(pod.metadata.labels?.[keys.groupIndex]);
    if (!isLeader(pod) || !Number.isInteger(index)) continue;
    const workers = alone
      ? undefined
      : view.get<StatefulSetObject>('apps/statefulsets', lws.metadata.namespace ?? '', pod.metadata.name);
    if (!alone && workers === undefined) continue;
    groups.set(index, { index, ...stateOf(pod, workers, revision) });
  }
  return groups;
}

function stateOf(leader: PodObject, workers: StatefulSetObject | undefined, revision: string): GroupState {
  return {
    ready: podPhaseOf(leader) === 'Running' && isReady(leader) && (workers === undefined || isSettled(workers)),
    updated: revisionKeyOf(leader) === revision && (workers === undefined || revisionKeyOf(workers) === revision),
  };
}

/** All of its pods are there, of one revision. Whether they are ready is not asked. */
function isSettled({ spec, status }: StatefulSetObject): boolean {
  return spec.replicas === (status?.replicas ?? 0) && status?.currentRevision === status?.updateRevision;
}

export function statesOf(groups: ReadonlyMap<number, Group>, count: number): readonly GroupState[] {
  return Array.from({ length: count }, (_, index) => groups.get(index) ?? { ready: false, updated: false });
}
