import { apiGroupOf } from '../../../../base/src/meta.ts';
import type { Pod } from '../../../src/api/pod.ts';
import type { PodGroup } from '../../../src/api/workload.ts';
import { type NaiveState, namespaceOf } from './state.ts';

/** What one pod says about the group it is in, with what the objects that it names add. */
export interface Membership {
  /** The same for the pods of one group, and for no other. */
  readonly key: string;
  readonly unit: string;
  /** Absent: the root owner of the pods is the parent (G3). */
  readonly parent?: string;
  readonly index?: number;
  /** How many groups its parent should have, as the pod says. */
  readonly siblings?: number;
  readonly size?: number;
  readonly minCount?: number;
  readonly needsAll?: boolean;
}

export type NativeAnswer =
  | { readonly kind: 'notNamed' }
  | { readonly kind: 'missing'; readonly key: string }
  | { readonly kind: 'notGang'; readonly key: string }
  /** One of several replicas, and nothing says which (P5). */
  | { readonly kind: 'undivided'; readonly key: string }
  | { readonly kind: 'gang'; readonly key: string; readonly member: Membership };

/** G2 */
export function nativeGroup(state: NaiveState, pod: Pod): NativeAnswer {
  const name = pod.spec?.schedulingGroup?.podGroupName ?? '';
  return name === '' ? fromWorkload(state, pod) : fromPodGroup(state, namespaceOf(pod), name);
}

export function nativePodGroups(state: NaiveState, namespace: string): readonly PodGroup[] {
  return state.podGroups.filter(
    (group) => apiGroupOf(group.apiVersion) === 'scheduling.k8s.io' && namespaceOf(group) === namespace,
  );
}

function fromPodGroup(state: NaiveState, namespace: string, name: string): NativeAnswer {
  const key = ['podGroup', namespace, name].join('|');
  const group = nativePodGroups(state, namespace).find(({ metadata }) => metadata.name === name);
  if (group === undefined) return { kind: 'missing', key };
  const minCount = group.spec?.schedulingPolicy?.gang?.minCount;
  const needsAll = isDisruptedAsOne(group);
  if (minCount === undefined && !needsAll) return { kind: 'notGang', key };
  const parent = parentOfPodGroup(group);
  const member: Membership = {
    key,
    unit: name,
    needsAll,
    ...(parent === undefined ? {} : { parent }),
    ...(minCount === undefined ? {} : { minCount }),
  };
  return { kind: 'gang', key, member };
}

function isDisruptedAsOne(group: PodGroup): boolean {
  const mode = group.spec?.disruptionMode;
  return typeof mode === 'string' ? mode === 'PodGroup' : mode?.all !== undefined;
}

export function parentOfPodGroup(group: PodGroup): string | undefined {
  const now = group.spec?.workloadRef;
  const before = group.spec?.podGroupTemplateRef?.workload;
  const workload = now?.workloadName ?? before?.workloadName;
  const template = now?.templateName ?? before?.podGroupTemplateName;
  return workload === undefined || template === undefined
    ? undefined
    : parentInWorkload(namespaceOf(group), workload, template);
}

function parentInWorkload(namespace: string, workload: string, podGroup: string): string {
  return ['workload', namespace, workload, podGroup].join('|');
}

interface WorkloadName {
  readonly name: string;
  readonly podGroup: string;
  readonly replica: string;
  readonly index?: number;
}

function workloadName(pod: Pod): WorkloadName | undefined {
  const { workloadRef, workloadReference, workload } = pod.spec ?? {};
  if (workloadRef?.name !== undefined) {
    return {
      name: workloadRef.name,
      podGroup: workloadRef.podGroup ?? '',
      replica: workloadRef.podGroupReplicaKey ?? '',
    };
  }
  const named = workloadReference?.name === undefined ? workload : workloadReference;
  if (named?.name === undefined) return undefined;
  const index = named.podGroupReplicaIndex;
  const replica = index === undefined ? '' : String(index);
  return { name: named.name, podGroup: named.podGroup ?? '', replica, ...(index === undefined ? {} : { index }) };
}

function fromWorkload(state: NaiveState, pod: Pod): NativeAnswer {
  const named = workloadName(pod);
  if (named === undefined) return { kind: 'notNamed' };
  const namespace = namespaceOf(pod);
  const key = ['workloadGroup', namespace, named.name, named.podGroup, named.replica].join('|');
  const entry = workloadEntry(state, namespace, named.name, named.podGroup);
  if (entry === undefined) return { kind: 'missing', key };
  const minCount = entry.policy?.gang?.minCount;
  if (minCount === undefined) return { kind: 'notGang', key };
  if ((entry.replicas ?? 1) > 1 && named.replica === '') return { kind: 'undivided', key };
  const member: Membership = {
    key,
    unit: [named.podGroup, named.replica].filter((part) => part !== '').join('/'),
    parent: parentInWorkload(namespace, named.name, named.podGroup),
    minCount,
    ...(named.index === undefined ? {} : { index: named.index }),
  };
  return { kind: 'gang', key, member };
}

function workloadEntry(state: NaiveState, namespace: string, name: string, podGroup: string) {
  const workload = state.workloads.find((one) => namespaceOf(one) === namespace && one.metadata.name === name);
  return (workload?.spec?.podGroups ?? []).find((entry) => entry.name === podGroup);
}

/** The `replicas` that a Workload states for a parent, whichever of its groups asks. */
export function statedReplicas(state: NaiveState, parent: string): number | undefined {
  for (const workload of state.workloads) {
    for (const entry of workload.spec?.podGroups ?? []) {
      if (parentInWorkload(namespaceOf(workload), workload.metadata.name, entry.name) === parent) return entry.replicas;
    }
  }
  return undefined;
}
