import { iso } from './builders.ts';

/** A StatefulSet and its pods, small enough to reason about. Times are seconds from noon. */
export interface ModelPod {
  readonly uid: string;
  readonly ordinal: number;
  readonly revision: string;
  readonly created: number;
  /** Infinity: never. */
  readonly readyAt: number;
  /** When it stopped being ready, if it was before. */
  readonly brokeAt?: number;
  /** Its container crashes again and again, and is ready for a moment each time. */
  readonly loops?: boolean;
  readonly failed: boolean;
  goneAt?: number;
}

export interface ModelSet {
  replicas: number;
  start: number;
  partition: number;
  /** False: the strategy is but a type, without `rollingUpdate`. */
  rolling: boolean;
  maxUnavailable: number;
  minReadySeconds: number;
  parallel: boolean;
  annotations: Readonly<Record<string, string>>;
  /** Names of the claims that each pod has. */
  claims: readonly string[];
  generation: number;
  /** The revision that the template of now makes. */
  template: string;
  /** What the built-in controller last said of it. */
  observed: number;
  current: string;
  update: string;
  currentReplicas: number;
}

export interface ModelCluster {
  now: number;
  readonly set: ModelSet;
  pods: ModelPod[];
  /** Revisions whose pods become ready. */
  readonly working: Set<string>;
  /** Revisions whose pods are ready for moments. */
  readonly looping: Set<string>;
  /** Who did what; a reader of the transcript wants to know. */
  readonly log: string[];
  created: number;
  /** How long a pod takes to go. 0: it is gone with the next look of its kubelet. */
  graceSeconds: number;
}

const startSeconds = 3;

export function modelCluster(set: Partial<ModelSet>, working: readonly string[] = []): ModelCluster {
  const generation = set.generation ?? 1;
  const current = set.current ?? 'v1';
  const update = set.update ?? current;
  const defaults: ModelSet = {
    replicas: 3,
    start: 0,
    partition: 0,
    rolling: true,
    maxUnavailable: 1,
    minReadySeconds: 0,
    parallel: false,
    annotations: {},
    claims: [],
    generation,
    template: update,
    observed: generation,
    current,
    update,
    currentReplicas: 0,
  };
  const revisions = { working: new Set(working), looping: new Set<string>() };
  return { now: 0, set: { ...defaults, ...set }, pods: [], ...revisions, log: [], created: 0, graceSeconds: 2 };
}

export interface PodState {
  readonly ready: boolean;
  /** Since when. */
  readonly changed: number;
  readonly restarts: number;
  /** When its container was started, if it runs. */
  readonly startedAt?: number;
}

/** Of a container that crashes: ready for two seconds, then down for four. */
const upSeconds = 2;
const cycleSeconds = 6;

/** How a pod is now: it follows from the time alone. */
export function stateOf({ now }: ModelCluster, pod: ModelPod): PodState {
  const { created, readyAt, brokeAt, failed } = pod;
  if (pod.loops === true && !failed) return loopState(now, created + startSeconds, created);
  if (!failed && readyAt <= now) return { ready: true, changed: readyAt, restarts: 0, startedAt: created };
  return { ready: false, changed: brokeAt ?? created, restarts: 0, ...(failed ? {} : { startedAt: created }) };
}

function loopState(now: number, first: number, created: number): PodState {
  if (now < first) return { ready: false, changed: created, restarts: 0 };
  const restarts = Math.floor((now - first) / cycleSeconds);
  const startedAt = first + restarts * cycleSeconds;
  const ready = now < startedAt + upSeconds;
  return ready
    ? { ready, changed: startedAt, restarts, startedAt }
    : { ready, changed: startedAt + upSeconds, restarts };
}

export const isReady = (cluster: ModelCluster, pod: ModelPod): boolean => stateOf(cluster, pod).ready;

/** As the built-in controller sees it. */
export function isHealthy(cluster: ModelCluster, pod: ModelPod): boolean {
  const { ready, changed } = stateOf(cluster, pod);
  return ready && pod.goneAt === undefined && changed + cluster.set.minReadySeconds <= cluster.now;
}

export function isReplica({ set }: ModelCluster, pod: ModelPod): boolean {
  return pod.ordinal >= set.start && pod.ordinal < set.start + set.replicas;
}

export function note(cluster: ModelCluster, text: string): void {
  cluster.log.push(`${iso(cluster.now).slice(11, 19)} ${text}`);
}

/** A change of the spec makes a new generation, which the built-in controller sees with its next pass. */
export function changeSpec(cluster: ModelCluster, spec: Partial<ModelSet>): void {
  Object.assign(cluster.set, spec);
  cluster.set.generation += 1;
}

/** The user applies another template, whose pods become ready, do not, or are ready for moments. */
export function applyTemplate(cluster: ModelCluster, revision: string, works: boolean | 'for moments'): void {
  cluster.working.delete(revision);
  cluster.looping.delete(revision);
  if (works === true) cluster.working.add(revision);
  if (works === 'for moments') cluster.looping.add(revision);
  changeSpec(cluster, { template: revision });
  const how = works === true ? '' : works === false ? ' (does not work)' : ' (crashes)';
  note(cluster, `user applies ${revision}${how}`);
}

export function createPod(cluster: ModelCluster, ordinal: number, revision: string): void {
  cluster.created += 1;
  const readyAt = cluster.working.has(revision) ? cluster.now + startSeconds : Number.POSITIVE_INFINITY;
  const loops = cluster.looping.has(revision);
  const uid = `u${cluster.created}`;
  cluster.pods.push({ uid, ordinal, revision, created: cluster.now, readyAt, loops, failed: false });
}

export function deletePod(cluster: ModelCluster, pod: ModelPod): void {
  pod.goneAt ??= cluster.now + cluster.graceSeconds;
}

/** The kubelets: pods whose grace period is over are gone. */
export function kubeletPass(cluster: ModelCluster): void {
  cluster.pods = cluster.pods.filter((pod) => pod.goneAt === undefined || pod.goneAt > cluster.now);
}
