/** Names, ordinals and storage: who a StatefulSet's pod is. */

import { clone } from '../../objects.ts';
import { revisionHashLabel } from '../common/history.ts';
import { podFromTemplate } from '../common/pod-template.ts';
import type { ClaimObject, PodObject, PodTemplate, StatefulSetObject } from '../common/workloads.ts';

export const podNameLabel = 'statefulset.kubernetes.io/pod-name';
const podIndexLabel = 'apps.kubernetes.io/pod-index';

const podName = /^(.*)-([0-9]{1,10})$/;

/** Undefined for a pod whose name is not made of this set's name and a number. */
export function ordinalOf(set: StatefulSetObject, pod: PodObject): number | undefined {
  const [, parent, digits] = podName.exec(pod.metadata.name) ?? [];
  return parent === set.metadata.name && digits !== undefined ? Number(digits) : undefined;
}

export function startOrdinal(set: StatefulSetObject): number {
  return set.spec.ordinals?.start ?? 0;
}

export function replicasOf(set: StatefulSetObject): number {
  return set.spec.replicas ?? 1;
}

export function isInRange(set: StatefulSetObject, ordinal: number): boolean {
  const start = startOrdinal(set);
  return ordinal >= start && ordinal < start + replicasOf(set);
}

export function revisionOfPod(pod: PodObject): string {
  return pod.metadata.labels?.[revisionHashLabel] ?? '';
}

/** The pod of an ordinal as a revision describes it. */
export function newPod(set: StatefulSetObject, ordinal: number, template: PodTemplate, revision: string): PodObject {
  const name = `${set.metadata.name}-${ordinal}`;
  const labels = {
    [revisionHashLabel]: revision,
    [podNameLabel]: name,
    [podIndexLabel]: String(ordinal),
  };
  const pod = podFromTemplate(template, set, { name, labels });
  pod.spec.hostname = name;
  if (set.spec.serviceName) pod.spec.subdomain = set.spec.serviceName;
  pod.spec = withStorage(set, ordinal, pod.spec);
  return pod;
}

/** The pod with its identity and storage put right; undefined when there is nothing to put right. */
export function repaired(set: StatefulSetObject, ordinal: number, pod: PodObject): PodObject | undefined {
  const named = pod.metadata.labels?.[podNameLabel] === pod.metadata.name;
  const stored = hasStorage(set, ordinal, pod);
  if (named && stored) return undefined;
  const labels = {
    ...pod.metadata.labels,
    [podNameLabel]: pod.metadata.name,
    [podIndexLabel]: String(ordinal),
  };
  const spec = stored ? pod.spec : withStorage(set, ordinal, pod.spec);
  return { ...pod, metadata: { ...pod.metadata, labels }, spec };
}

function hasStorage(set: StatefulSetObject, ordinal: number, pod: PodObject): boolean {
  return claimsOf(set, ordinal).every(({ volume, claim }) =>
    pod.spec.volumes?.some(
      (one) => one.name === volume && one.persistentVolumeClaim?.claimName === claim.metadata.name,
    ),
  );
}

function withStorage(set: StatefulSetObject, ordinal: number, spec: PodObject['spec']): PodObject['spec'] {
  const claims = claimsOf(set, ordinal);
  if (claims.length === 0) return spec;
  const names = new Set(claims.map(({ volume }) => volume));
  const others = (spec.volumes ?? []).filter((volume) => !names.has(volume.name));
  const own = claims.map(({ volume, claim }) => ({
    name: volume,
    persistentVolumeClaim: { claimName: claim.metadata.name },
  }));
  return { ...spec, volumes: [...own, ...others] };
}

/** The claims that the pod of an ordinal mounts. */
export function claimsOf(set: StatefulSetObject, ordinal: number): readonly { volume: string; claim: ClaimObject }[] {
  return (set.spec.volumeClaimTemplates ?? []).map((template) => {
    const volume = template.metadata?.name ?? '';
    const { annotations, labels } = template.metadata ?? {};
    const claim: ClaimObject = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        name: `${volume}-${set.metadata.name}-${ordinal}`,
        namespace: set.metadata.namespace ?? '',
        labels: { ...labels, ...set.spec.selector.matchLabels },
        ...(annotations ? { annotations: { ...annotations } } : {}),
      },
      spec: clone(template.spec ?? {}),
    };
    return { volume, claim };
  });
}
