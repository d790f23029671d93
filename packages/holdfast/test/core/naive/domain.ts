import type { OwnerReference, StringMap } from '../../../../base/src/meta.ts';
import type { PodSpec } from '../../../src/api/pod.ts';

/**
 * The small stage on which random worlds play: a fixed cast of workloads and of pods with their places in them, so that
 * things collide a lot. What varies is everything else.
 */

export interface CastOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly controller?: string;
}

const lws = 'leaderworkerset.x-k8s.io/v1';

/** By a short name; `controller` is the short name of another one, or `pod:` and the name of a pod. */
export const cast: Readonly<Record<string, CastOwner>> = {
  web: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
  webNew: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-new', controller: 'web' },
  webOld: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-old', controller: 'web' },
  loneSet: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'lone' },
  db: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' },
  llm: { apiVersion: lws, kind: 'LeaderWorkerSet', name: 'llm' },
  llmLeaders: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'llm', controller: 'llm' },
  llmWorkers0: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'llm-0', controller: 'pod:llm-0' },
  llmWorkers1: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'llm-1', controller: 'pod:llm-1' },
  kruiseLlm: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'LeaderWorkerSet', name: 'llm' },
  train: { apiVersion: 'batch/v1', kind: 'Job', name: 'train' },
  sets: { apiVersion: 'jobset.x-k8s.io/v1alpha2', kind: 'JobSet', name: 'sets' },
  setsJob0: { apiVersion: 'batch/v1', kind: 'Job', name: 'sets-w-0', controller: 'sets' },
  setsJob1: { apiVersion: 'batch/v1', kind: 'Job', name: 'sets-w-1', controller: 'sets' },
  queue: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'queue' },
};

export interface Seat {
  readonly name: string;
  readonly owner?: string;
  readonly labels?: StringMap;
  /** The annotation in which its convention states the size of the group. */
  readonly sizeKey?: string;
  readonly spec?: PodSpec;
}

function lwsSeat(name: string, owner: string, index: string, spec?: PodSpec): Seat {
  const prefix = 'leaderworkerset.sigs.k8s.io';
  return {
    name,
    owner,
    labels: { [`${prefix}/name`]: 'llm', [`${prefix}/group-index`]: index, [`${prefix}/group-key`]: `key-${index}` },
    sizeKey: `${prefix}/size`,
    ...(spec === undefined ? {} : { spec }),
  };
}

function jobSetSeat(name: string, owner: string, index: string): Seat {
  const prefix = 'jobset.sigs.k8s.io';
  return {
    name,
    owner,
    labels: {
      [`${prefix}/job-key`]: `job-${index}`,
      [`${prefix}/jobset-name`]: 'sets',
      [`${prefix}/replicatedjob-name`]: 'w',
      [`${prefix}/job-index`]: index,
    },
  };
}

function kueueSeat(name: string, group: string, owner?: string): Seat {
  return {
    name,
    labels: { 'kueue.x-k8s.io/pod-group-name': group },
    sizeKey: 'kueue.x-k8s.io/pod-group-total-count',
    ...(owner === undefined ? {} : { owner }),
  };
}

function gangSeat(name: string, podGroupName: string, owner?: string): Seat {
  return { name, spec: { schedulingGroup: { podGroupName } }, ...(owner === undefined ? {} : { owner }) };
}

/** The seats by workload. A story plays on a few of them, so that groups are whole more often than not. */
export const scenes: readonly (readonly Seat[])[] = [
  [
    { name: 'web-0', owner: 'webNew' },
    { name: 'web-1', owner: 'webNew' },
    { name: 'web-2', owner: 'webOld' },
    { name: 'lone-0', owner: 'loneSet' },
  ],
  [{ name: 'db-0', owner: 'db' }, { name: 'db-1', owner: 'db' }, { name: 'solo-0' }, { name: 'solo-1' }],
  [
    lwsSeat('llm-0', 'llmLeaders', '0'),
    lwsSeat('llm-0-1', 'llmWorkers0', '0'),
    lwsSeat('llm-1', 'llmLeaders', '1', { schedulingGroup: { podGroupName: 'pg-2' } }),
    lwsSeat('llm-1-1', 'llmWorkers1', '1', { schedulingGroup: { podGroupName: 'pg-2' } }),
  ],
  [
    lwsSeat('kruise-0', 'kruiseLlm', '0'),
    lwsSeat('kruise-1', 'kruiseLlm', '1'),
    { name: 'kruise-2', owner: 'kruiseLlm', labels: { 'leaderworkerset.sigs.k8s.io/group-index': '2' } },
  ],
  [
    gangSeat('gang-0-0', 'pg-0', 'train'),
    gangSeat('gang-0-1', 'pg-0', 'train'),
    gangSeat('gang-0-2', 'pg-0', 'train'),
    gangSeat('gang-1-0', 'pg-1', 'train'),
    gangSeat('gang-1-1', 'pg-1'),
  ],
  [
    { name: 'ref-0', owner: 'train', spec: { workloadRef: { name: 'wl', podGroup: 'w', podGroupReplicaKey: 'k0' } } },
    { name: 'ref-1', owner: 'train', spec: { workloadRef: { name: 'wl', podGroup: 'w', podGroupReplicaKey: 'k1' } } },
    { name: 'kep-0-0', spec: { workload: { name: 'wl', podGroup: 'w', podGroupReplicaIndex: 0 } } },
    { name: 'kep-0-1', spec: { workloadReference: { name: 'wl', podGroup: 'w', podGroupReplicaIndex: 0 } } },
    { name: 'kep-2-0', spec: { workloadReference: { name: 'wl', podGroup: 'w', podGroupReplicaIndex: 2 } } },
    { name: 'kep-0', spec: { workload: { name: 'wl', podGroup: 'w' } } },
  ],
  [
    jobSetSeat('set-0-0', 'setsJob0', '0'),
    jobSetSeat('set-0-1', 'setsJob0', '0'),
    jobSetSeat('set-1-0', 'setsJob1', '1'),
  ],
  [kueueSeat('kq-0', 'q1', 'queue'), kueueSeat('kq-1', 'q1', 'queue'), kueueSeat('kq-2', 'q2')],
];

export const nodes = ['n1', 'n2'] as const;
export const podGroupNames = ['pg-0', 'pg-1', 'pg-2'] as const;

/** The uid of something in its first or a later life. */
export function uidOf(namespace: string, name: string, life: number): string {
  return `${namespace}.${name}.${life}`;
}

export function referenceTo(namespace: string, shortName: string, life = 1): OwnerReference | undefined {
  if (shortName.startsWith('pod:')) {
    const name = shortName.slice('pod:'.length);
    return { apiVersion: 'v1', kind: 'Pod', name, uid: uidOf(namespace, name, life), controller: true };
  }
  const owner = cast[shortName];
  if (owner === undefined) return undefined;
  const { apiVersion, kind, name } = owner;
  return { apiVersion, kind, name, uid: uidOf(namespace, shortName, life), controller: true };
}
