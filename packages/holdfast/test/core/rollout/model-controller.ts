import {
  createPod,
  deletePod,
  isHealthy,
  isReady,
  isReplica,
  type ModelCluster,
  type ModelPod,
  note,
} from './model-cluster.ts';

type Status = Pick<ModelCluster['set'], 'observed' | 'current' | 'update' | 'currentReplicas'>;

/**
 * One pass of the built-in StatefulSet controller, as Kubernetes 1.37 behaves: it gives up the pass at the first thing that
 * it has to wait for. That is where OrderedReady gets stuck (kubernetes#67250), and this model with it.
 */
export function controllerPass(cluster: ModelCluster): void {
  controllerActs(cluster)();
}

/** What it does to pods comes first. What it says of the set comes after that, perhaps later: that is what is returned. */
export function controllerActs(cluster: ModelCluster): () => void {
  const { set } = cluster;
  // Later counts are of the pods as they were found.
  const found = cluster.pods.map((pod) => ({ ...pod }));
  const status = statusOf(cluster, found);
  const rolls = establishReplicas(cluster) && removeCondemned(cluster);
  const rolled = rolls ? rollFromTheTop(cluster) : 0;
  const said = completed(cluster, found, { ...status, currentReplicas: status.currentReplicas - rolled });
  return () => void Object.assign(set, said);
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
  const kept = set.rolling ? set.partition : set.currentReplicas;
  const revision = ordinal < set.start + kept ? set.current : set.template;
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

/** As many from the top as may be unavailable. How many it deletes. */
function rollFromTheTop(cluster: ModelCluster): number {
  const { set } = cluster;
  const replicas = cluster.pods.filter((pod) => isReplica(cluster, pod)).sort((a, b) => b.ordinal - a.ordinal);
  const unavailable = replicas.filter((pod) => !isHealthy(cluster, pod));
  const lowest = set.start + (set.rolling ? set.partition : 0);
  const stale = replicas.filter((pod) => pod.ordinal >= lowest && isStale(cluster, pod));
  const budget = Math.max(0, (set.rolling ? set.maxUnavailable : 1) - unavailable.length);
  if (!set.parallel) return removeAll(cluster, stale.slice(0, budget));
  if (budget === 0 && !unavailable.some((pod) => isStale(cluster, pod))) return 0;
  const healthy = stale.filter((pod) => isHealthy(cluster, pod));
  return removeAll(cluster, [...stale.filter((pod) => !healthy.includes(pod)), ...healthy.slice(0, budget)]);
}

function isStale({ set }: ModelCluster, pod: ModelPod): boolean {
  return pod.revision !== set.template && pod.goneAt === undefined;
}

function removeAll(cluster: ModelCluster, pods: readonly ModelPod[]): number {
  for (const pod of pods) remove(cluster, pod, 'to update it');
  return pods.length;
}

/** Of the pods as the pass found them. */
function statusOf({ set }: ModelCluster, pods: readonly ModelPod[]): Status {
  const staying = pods.filter(({ goneAt }) => goneAt === undefined);
  const currentReplicas = staying.filter(({ revision }) => revision === set.current).length;
  return { observed: set.generation, current: set.current, update: set.template, currentReplicas };
}

/** When everything is of the new revision and ready, that is the current one. */
function completed(cluster: ModelCluster, pods: readonly ModelPod[], status: Status): Status {
  const { replicas } = cluster.set;
  const updated = pods.filter(({ revision, goneAt }) => revision === status.update && goneAt === undefined);
  const ready = pods.filter((pod) => isReady(cluster, pod));
  const done = [updated, ready, pods].every(({ length }) => length === replicas);
  return done ? { ...status, current: status.update, currentReplicas: updated.length } : status;
}

function remove(cluster: ModelCluster, pod: ModelPod, why: string): void {
  if (pod.goneAt !== undefined) return;
  deletePod(cluster, pod);
  note(cluster, `kubernetes deletes web-${pod.ordinal} (${pod.revision}) ${why}`);
}
