import { containerStatuses, isTerminating, podPhaseOf } from '../common/pods.ts';
import type { PodObject } from '../common/workloads.ts';
import * as keys from './keys.ts';
import { type LwsObject, sizeOf } from './lws-object.ts';
import { isLeader } from './pod-mutation.ts';
import { revisionKeyOf } from './revision.ts';

export interface RestartInput {
  readonly lws: LwsObject;
  readonly pod: PodObject;
  /** The leader of the pod's group; the pod itself where it is one. */
  readonly leader: PodObject | undefined;
  /** Pods that are in the group now. */
  readonly group: () => readonly PodObject[];
}

export type RestartDecision =
  | { readonly kind: 'keep' }
  /** The group is on its way out already. */
  | { readonly kind: 'underway' }
  | { readonly kind: 'recreate'; readonly leader: PodObject };

/** Whether what happened to a pod ends its group. The leader is deleted, its workers follow, and the group is recreated. */
export function decideRestart({ lws, pod, leader, group }: RestartInput): RestartDecision {
  const keep: RestartDecision = { kind: 'keep' };
  if ((lws.spec.leaderWorkerTemplate.restartPolicy ?? recreate) !== recreate) return keep;
  if (!isTerminating(pod) && !hasRestarted(pod)) return keep;
  const afterStart = Object.hasOwn(lws.metadata.annotations ?? {}, keys.recreateAfterStart);
  if (afterStart && hasNotStarted(group(), sizeOf(lws))) return keep;
  if (leader === undefined) return keep;
  // A worker of another revision is being replaced with its group.
  if (!isLeader(pod) && revisionKeyOf(leader) !== revisionKeyOf(pod)) return keep;
  return isTerminating(leader) ? { kind: 'underway' } : { kind: 'recreate', leader };
}

const recreate = 'RecreateGroupOnPodRestart';

function hasRestarted(pod: PodObject): boolean {
  const phase = podPhaseOf(pod);
  if (phase !== 'Running' && phase !== 'Pending') return false;
  return containerStatuses(pod).some(({ restartCount }) => restartCount > 0);
}

function hasNotStarted(group: readonly PodObject[], size: number): boolean {
  return group.length !== size || group.some((pod) => podPhaseOf(pod) === 'Pending');
}
