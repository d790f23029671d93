import type { KubeObject, ResourceKey } from '../../objects.ts';

export const podGroups: ResourceKey = 'scheduling.k8s.io/podgroups';
export const protectionFinalizer = 'scheduling.k8s.io/podgroup-protection';

/** The pod group that a pod names; it need not exist. */
export function podGroupNameOf(pod: KubeObject): string | undefined {
  const spec = pod['spec'] as { schedulingGroup?: { podGroupName?: string } } | undefined;
  return spec?.schedulingGroup?.podGroupName;
}

/** On its way out, and still held for the sake of its pods. */
export function waitsForPods(group: KubeObject): boolean {
  const { deletionTimestamp, finalizers = [] } = group.metadata;
  return deletionTimestamp !== undefined && finalizers.includes(protectionFinalizer);
}
