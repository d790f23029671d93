/** Which pods no kubelet will ever end, and why they are deleted. */

import { createdAt, isFinishedPod, isTerminating } from '../common/pods.ts';
import type { NodeObject, PodObject } from '../common/workloads.ts';

export interface Doomed {
  readonly pod: PodObject;
  /** Why its node will not do it; undefined where the pod was to go anyway. */
  readonly message: string | undefined;
}

export interface PodGcState {
  readonly pods: readonly PodObject[];
  node(name: string): NodeObject | undefined;
  /** Gone for so long that it will not come back. */
  isLost(node: string): boolean;
}

/** Finished pods that are kept for people to look at. */
export const defaultFinishedLimit = 12_500;

export function planPodGc(state: PodGcState, finishedLimit: number): Doomed[] {
  const doomed = new Map<PodObject, Doomed>();
  const doom = (pod: PodObject, message?: string): void => {
    if (!doomed.has(pod)) doomed.set(pod, { pod, message });
  };
  for (const pod of surplusFinished(state.pods, finishedLimit)) doom(pod);
  for (const pod of state.pods) {
    const { nodeName } = pod.spec;
    if (!nodeName) {
      if (isTerminating(pod)) doom(pod);
    } else if (state.isLost(nodeName)) {
      doom(pod, 'PodGC: node no longer exists');
    } else if (isTerminating(pod) && isOutOfService(state.node(nodeName))) {
      doom(pod);
    }
  }
  return [...doomed.values()];
}

/** The oldest go first, and those that were evicted before all others. */
function surplusFinished(pods: readonly PodObject[], limit: number): PodObject[] {
  const finished = pods.filter((pod) => isFinishedPod(pod) && !isTerminating(pod));
  if (finished.length <= limit) return [];
  const wasEvicted = (pod: PodObject) => (pod.status?.reason === 'Evicted' ? 0 : 1);
  const sorted = finished.sort(
    (left, right) =>
      wasEvicted(left) - wasEvicted(right) ||
      createdAt(left) - createdAt(right) ||
      (left.metadata.name < right.metadata.name ? -1 : 1),
  );
  return sorted.slice(0, finished.length - limit);
}

/** An administrator has tainted the node as out of service, and it is not ready. */
function isOutOfService(node: NodeObject | undefined): boolean {
  const ready = node?.status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
  return !ready && (node?.spec?.taints ?? []).some(({ key }) => key === 'node.kubernetes.io/out-of-service');
}

/** The pod as its node would have left it. */
export function failed(pod: PodObject, message: string | undefined, now: string): PodObject {
  const others = pod.status?.conditions?.filter(({ type }) => type !== 'DisruptionTarget') ?? [];
  const disruption = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByPodGC',
    message: message ?? '',
    lastTransitionTime: now,
  };
  const conditions = message === undefined ? pod.status?.conditions : [...others, disruption];
  return { ...pod, status: { ...pod.status, phase: 'Failed', ...(conditions ? { conditions } : {}) } };
}
