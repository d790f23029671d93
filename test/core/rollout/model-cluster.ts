import type { Pod } from '../../../src/api/pod.ts';
import type { StatefulSet } from '../../../src/api/statefulset.ts';
import { iso, statefulSet } from './builders.ts';

/** A StatefulSet and its pods, small enough to reason about. Times are seconds from noon. */
export interface ModelPod {
  readonly uid: string;
  readonly ordinal: number;
  readonly revision: string;
  readonly created: number;
  /** Infinity: never. */
  readonly readyAt: number;
  readonly failed: boolean;
  goneAt?: number;
}

export interface ModelSet {
  replicas: number;
  start: number;
  partition: number;
  maxUnavailable: number;
  minReadySeconds: number;
  parallel: boolean;
  annotations: Readonly<Record<string, string>>;
  generation: number;
  current: string;
  update: string;
}

export interface ModelCluster {
  now: number;
  readonly set: ModelSet;
  pods: ModelPod[];
  /** Revisions whose pods become ready. */
  readonly working: Set<string>;
  /** Who did what; a reader of the transcript wants to know. */
  readonly log: string[];
  created: number;
}

const startSeconds = 3;
const graceSeconds = 2;

export function modelCluster(set: Partial<ModelSet>, working: readonly string[] = []): ModelCluster {
  const defaults: ModelSet = {
    replicas: 3,
    start: 0,
    partition: 0,
    maxUnavailable: 1,
    minReadySeconds: 0,
    parallel: false,
    annotations: {},
    generation: 1,
    current: 'v1',
    update: 'v1',
  };
  return { now: 0, set: { ...defaults, ...set }, pods: [], working: new Set(working), log: [], created: 0 };
}

export const isReady = (cluster: ModelCluster, pod: ModelPod): boolean => !pod.failed && pod.readyAt <= cluster.now;

export function isHealthy(cluster: ModelCluster, pod: ModelPod): boolean {
  return isReady(cluster, pod) && pod.goneAt === undefined && pod.readyAt + cluster.set.minReadySeconds <= cluster.now;
}

export function isReplica({ set }: ModelCluster, pod: ModelPod): boolean {
  return pod.ordinal >= set.start && pod.ordinal < set.start + set.replicas;
}

export function note(cluster: ModelCluster, text: string): void {
  cluster.log.push(`${iso(cluster.now).slice(11, 19)} ${text}`);
}

/** The user applies another template, whose pods become ready or do not. */
export function applyTemplate(cluster: ModelCluster, revision: string, works: boolean): void {
  if (works) cluster.working.add(revision);
  cluster.set.update = revision;
  cluster.set.generation += 1;
  note(cluster, `user applies ${revision}${works ? '' : ' (does not work)'}`);
}

export function createPod(cluster: ModelCluster, ordinal: number, revision: string): void {
  cluster.created += 1;
  const readyAt = cluster.working.has(revision) ? cluster.now + startSeconds : Number.POSITIVE_INFINITY;
  cluster.pods.push({ uid: `u${cluster.created}`, ordinal, revision, created: cluster.now, readyAt, failed: false });
}

export function deletePod(cluster: ModelCluster, pod: ModelPod): void {
  pod.goneAt ??= cluster.now + graceSeconds;
}

/** The kubelets: pods whose grace period is over are gone. */
export function kubeletPass(cluster: ModelCluster): void {
  cluster.pods = cluster.pods.filter((pod) => pod.goneAt === undefined || pod.goneAt > cluster.now);
}

/** What the API server would show of the set. */
export function viewSet({ set }: ModelCluster): StatefulSet {
  return statefulSet({ ...set, policy: set.parallel ? 'Parallel' : 'OrderedReady' });
}

/** What the API server would show of a pod. */
export function viewPod(cluster: ModelCluster, pod: ModelPod): Pod {
  const ready = isReady(cluster, pod);
  const phase = pod.failed ? 'Failed' : ready ? 'Running' : 'Pending';
  const name = `web-${pod.ordinal}`;
  return {
    metadata: {
      name,
      uid: pod.uid,
      resourceVersion: '1',
      creationTimestamp: iso(pod.created),
      labels: { 'controller-revision-hash': pod.revision },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'web-uid', controller: true }],
      ...(pod.goneAt === undefined ? {} : { deletionTimestamp: iso(pod.goneAt) }),
    },
    status: {
      phase,
      conditions: [
        { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: iso(ready ? pod.readyAt : pod.created) },
      ],
    },
  };
}
