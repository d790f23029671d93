import type { KubeObject } from '../../packages/embedded-cluster/src/objects.ts';
import { type History, isTerminating } from './history.ts';

/** Who owns a pod, and what that means for it, by the API server's history alone. */

export function replicasOf(owner: KubeObject): number {
  return (owner['spec'] as { readonly replicas?: number } | undefined)?.replicas ?? 1;
}

const ownerResources: Readonly<Record<string, string>> = {
  StatefulSet: 'apps/statefulsets',
  ReplicaSet: 'apps/replicasets',
  Deployment: 'apps/deployments',
  LeaderWorkerSet: 'leaderworkerset.x-k8s.io/leaderworkersets',
  Pod: 'pods',
};

export function ownerMoments(history: History, since: number, until: number): readonly number[] {
  const moments = Object.values(ownerResources)
    .filter((one) => one !== 'pods')
    .flatMap((resource) => history.moments(resource, since, until));
  return [...new Set(moments)].sort((a, b) => b - a);
}

/** The owners of an object, nearest first; `gone` where one is named that is not there. */
function chainOf(history: History, object: KubeObject, seq: number): readonly (KubeObject | 'gone')[] {
  const chain: (KubeObject | 'gone')[] = [];
  let current: KubeObject | undefined = object;
  while (current !== undefined) {
    const reference = current.metadata.ownerReferences?.find((one) => one.controller === true);
    if (reference === undefined) break;
    const resource = ownerResources[reference.kind] ?? '';
    const owner: KubeObject | undefined = history.get(resource, `${object.metadata.namespace}/${reference.name}`, seq);
    chain.push(owner?.metadata.uid === reference.uid && owner !== undefined ? owner : 'gone');
    current = owner;
  }
  return chain;
}

/** The owner that counts a pod: its controller, or the Deployment behind its ReplicaSet (O2). */
export function controllerOf(history: History, object: KubeObject, seq: number): KubeObject | 'gone' | undefined {
  const [nearest, next] = chainOf(history, object, seq);
  const isReplicaSet = nearest !== undefined && nearest !== 'gone' && nearest.kind === 'ReplicaSet';
  return isReplicaSet ? (next ?? nearest) : nearest;
}

/** The LeaderWorkerSet that the labels name, else the last owner of the chain. */
export function rootOf(history: History, object: KubeObject, seq: number): KubeObject | 'gone' | undefined {
  const set = object.metadata.labels?.['leaderworkerset.sigs.k8s.io/name'];
  if (set === undefined) return chainOf(history, object, seq).at(-1);
  return history.get(ownerResources['LeaderWorkerSet'] ?? '', `${object.metadata.namespace}/${set}`, seq) ?? 'gone';
}

/** Its workload is gone, or goes and takes its pods along (X4). */
export function isTakenAlong(history: History, pod: KubeObject, seq: number): boolean {
  return chainOf(history, pod, seq).some((owner) => owner === 'gone' || (isTerminating(owner) && !keepsPods(owner)));
}

/** Its workload wants no pods (X4). */
export function isIdle(history: History, pod: KubeObject, seq: number): boolean {
  const root = rootOf(history, pod, seq);
  return root !== undefined && root !== 'gone' && replicasOf(root) === 0;
}

function keepsPods(owner: KubeObject): boolean {
  return (owner.metadata.finalizers ?? []).includes('orphan');
}
