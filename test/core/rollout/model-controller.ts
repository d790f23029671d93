import { createPod, deletePod, isHealthy, isReplica, type ModelCluster, type ModelPod, note } from './model-cluster.ts';

/**
 * One pass of the built-in StatefulSet controller, as Kubernetes 1.37 behaves: it gives up the pass at the first thing that
 * it has to wait for. That is where OrderedReady gets stuck (kubernetes#67250), and this model with it.
 */
export function controllerPass(cluster: ModelCluster): void {
  if (!establishReplicas(cluster) || !removeCondemned(cluster)) return;
  rollFromTheTop(cluster);
  finishRollout(cluster);
}

/** Lowest first. False when the pass ends here. */
function establishReplicas(cluster: ModelCluster): boolean {
  const { set } = cluster;
  for (let ordinal = set.start; ordinal < set.start + set.replicas; ordinal++) {
    const pod = cluster.pods.find((each) => each.ordinal === ordinal);
    const waits =
      pod === undefined ? create(cluster, ordinal) : replaceFailed(cluster, pod) || !isHealthy(cluster, pod);
    if (waits && !set.parallel) return false;
  }
  return true;
}

function create(cluster: ModelCluster, ordinal: number): true {
  const { set } = cluster;
  const revision = ordinal < set.start + set.partition ? set.current : set.update;
  createPod(cluster, ordinal, revision);
  note(cluster, `kubernetes creates web-${ordinal} from ${revision}`);
  return true;
}

function replaceFailed(cluster: ModelCluster, pod: ModelPod): boolean {
  if (pod.failed) remove(cluster, pod, 'because it failed');
  return pod.failed;
}

/** Highest first. OrderedReady deletes an unhealthy one only when it is the lowest unhealthy one there is. */
function removeCondemned(cluster: ModelCluster): boolean {
  const condemned = cluster.pods.filter((pod) => !isReplica(cluster, pod)).sort((a, b) => b.ordinal - a.ordinal);
  if (cluster.set.parallel) {
    for (const pod of condemned) remove(cluster, pod, 'to scale down');
    return true;
  }
  const [highest] = condemned;
  if (highest === undefined) return true;
  const lowestUnhealthy = condemned.findLast((pod) => !isHealthy(cluster, pod));
  if (isHealthy(cluster, highest) || highest === lowestUnhealthy) remove(cluster, highest, 'to scale down');
  return false;
}

function rollFromTheTop(cluster: ModelCluster): void {
  const { set } = cluster;
  let deleted = 0;
  for (let ordinal = set.start + set.replicas - 1; ordinal >= set.start + set.partition; ordinal--) {
    const pod = cluster.pods.find((each) => each.ordinal === ordinal);
    if (pod === undefined) return;
    if (pod.revision !== set.update && pod.goneAt === undefined) {
      remove(cluster, pod, 'to update it');
      deleted += 1;
      if (deleted === set.maxUnavailable) return;
    } else if (!isHealthy(cluster, pod)) return;
  }
}

function finishRollout(cluster: ModelCluster): void {
  const { set } = cluster;
  const done = cluster.pods.every((pod) => pod.revision === set.update && isHealthy(cluster, pod));
  if (done && set.partition === 0) set.current = set.update;
}

function remove(cluster: ModelCluster, pod: ModelPod, why: string): void {
  if (pod.goneAt !== undefined) return;
  deletePod(cluster, pod);
  note(cluster, `kubernetes deletes web-${pod.ordinal} (${pod.revision}) ${why}`);
}
