import type { Removal } from '../../../src/core/rollout/state.ts';
import { isHealthy, isReady, isReplica, type ModelCluster, type ModelPod, stateOf } from './model-cluster.ts';

/**
 * Everything that a removal of ours must never be, judged without the planner's own words.
 *
 * @param cluster as it was seen
 * @param now when the pod goes, which has not changed since it was seen
 */
export function wrongWith(
  cluster: ModelCluster,
  target: ModelPod,
  why: Removal['why'],
  now: number = cluster.now,
): string[] {
  const rules: Record<string, boolean> = {
    'goes although Kubernetes has not seen the spec of now': cluster.set.observed < cluster.set.generation,
    'is removed although the set says stop': cluster.set.annotations['holdfast.dev/rollout-stop'] === 'true',
    'is not the kind of pod it is taken for': isReplica(cluster, target) !== (why === 'broken'),
    'goes while another one is going': cluster.pods.some(({ goneAt }) => goneAt !== undefined),
    ...(why === 'broken' ? wrongRepair(cluster, target, now) : wrongScaleDown(cluster, target)),
  };
  return Object.keys(rules).filter((rule) => rules[rule]);
}

function wrongRepair(cluster: ModelCluster, target: ModelPod, now: number): Record<string, boolean> {
  const { set } = cluster;
  const replicas = cluster.pods.filter((pod) => isReplica(cluster, pod));
  const below = replicas.filter(({ ordinal }) => ordinal < target.ordinal);
  const updated = replicas.filter(({ revision, failed }) => revision === set.update && !failed);
  return {
    'is ready': isReady(cluster, target),
    'has finished, so that Kubernetes replaces it': target.failed,
    'is on the update revision': target.revision === set.update,
    'is below the partition': target.ordinal < set.start + set.partition,
    'is not the lowest unhealthy one':
      below.length !== target.ordinal - set.start || !below.every((pod) => isHealthy(cluster, pod)),
    'goes while the update revision has an unready pod': updated.some((pod) => !isReady(cluster, pod)),
    'goes while the update revision keeps a pod restarting': updated.some((pod) => stateOf(cluster, pod).restarts > 0),
    'has not been broken for the settle time': now - brokenSince(cluster, target) < settleOf(cluster),
  };
}

function wrongScaleDown(cluster: ModelCluster, target: ModelPod): Record<string, boolean> {
  const condemned = cluster.pods.filter((pod) => !isReplica(cluster, pod));
  return {
    'is not the highest': condemned.some(({ ordinal }) => ordinal > target.ordinal),
    'goes although nothing is in its way': cluster.pods.every((pod) => pod === target || isHealthy(cluster, pod)),
  };
}

/** One that crashes again and again has been broken since the first time. */
function brokenSince(cluster: ModelCluster, pod: ModelPod): number {
  return pod.loops === true ? pod.created : stateOf(cluster, pod).changed;
}

function settleOf({ set }: ModelCluster): number {
  return Number(set.annotations['holdfast.dev/rollout-settle-seconds'] ?? 30);
}
