/** Pods that are scheduled together or not at all: how a pod names its group, and how many of it must run at once. */

import { isObject } from '@holdfast/base/json';
import type { KubeObject, ResourceKey } from '../../objects.ts';
import type { View } from '../../view.ts';
import type { PodObject } from '../common/workloads.ts';
import { podGroups } from '../workload/pod-group.ts';

export const workloads: ResourceKey = 'scheduling.k8s.io/workloads';

export interface GroupReference {
  /** The same for all pods of one group. */
  readonly id: string;
  readonly namespace: string;
  readonly source:
    | { readonly kind: 'PodGroup'; readonly name: string }
    | { readonly kind: 'Workload'; readonly name: string; readonly podGroup: string };
}

export type GroupPolicy =
  /** Its pods wait until the object that describes the group is there. */
  { readonly kind: 'unknown' } | { readonly kind: 'basic' } | { readonly kind: 'gang'; readonly minCount: number };

/** Older shapes, and those that were proposed. */
const workloadFields = ['workloadRef', 'workloadReference', 'workload'] as const;
const replicaFields = ['podGroupReplicaKey', 'podGroupReplicaIndex', 'replicaIndex'] as const;

export function groupOf(pod: PodObject): GroupReference | undefined {
  const namespace = pod.metadata.namespace ?? '';
  const spec = pod.spec as unknown as Record<string, unknown>;
  const group = spec['schedulingGroup'];
  if (isObject(group) && typeof group['podGroupName'] === 'string') {
    const name = group['podGroupName'];
    return { id: JSON.stringify(['PodGroup', namespace, name]), namespace, source: { kind: 'PodGroup', name } };
  }
  for (const field of workloadFields) {
    const reference = spec[field];
    if (isObject(reference) && typeof reference['name'] === 'string') return workloadGroup(reference, namespace);
  }
  return undefined;
}

function workloadGroup(reference: Readonly<Record<string, unknown>>, namespace: string): GroupReference {
  const name = String(reference['name']);
  const podGroup = String(reference['podGroup'] ?? '');
  const replica = replicaFields.map((field) => reference[field]).find((value) => value !== undefined);
  return {
    id: JSON.stringify(['Workload', namespace, name, podGroup, replica]),
    namespace,
    source: { kind: 'Workload', name, podGroup },
  };
}

export function policyOf(view: View, { namespace, source }: GroupReference): GroupPolicy {
  if (source.kind === 'PodGroup') {
    const group = view.get(podGroups, namespace, source.name);
    return group === undefined ? { kind: 'unknown' } : readPolicy(specOf(group)['schedulingPolicy']);
  }
  const workload = view.get(workloads, namespace, source.name);
  if (workload === undefined) return { kind: 'unknown' };
  const groups = specOf(workload)['podGroups'];
  const named = Array.isArray(groups)
    ? groups.find((group) => isObject(group) && group['name'] === source.podGroup)
    : undefined;
  return isObject(named) ? readPolicy(named['policy']) : { kind: 'unknown' };
}

function readPolicy(policy: unknown): GroupPolicy {
  const gang = isObject(policy) ? policy['gang'] : undefined;
  if (!isObject(gang)) return { kind: 'basic' };
  const { minCount } = gang;
  return { kind: 'gang', minCount: typeof minCount === 'number' ? minCount : 1 };
}

function specOf(object: KubeObject): Readonly<Record<string, unknown>> {
  const { spec } = object;
  return isObject(spec) ? spec : {};
}
