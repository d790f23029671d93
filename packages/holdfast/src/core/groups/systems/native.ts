import type { PodSpec } from '../../../api/pod.ts';
import { nativeName } from '../claim.ts';
import type { GroupSystem, StatedClaim } from '../system.ts';

export const schedulingGroup = 'scheduling.k8s.io';

/** The Kubernetes API's own groups: 1.36 and later name a PodGroup object; 1.35 and the KEP name a Workload's pod group. */
export const native: GroupSystem = {
  name: nativeName,
  claim: (_labels, _annotations, spec) => (spec === undefined ? undefined : claimBy(spec)),
  groupObjects: [
    { group: schedulingGroup, kind: 'PodGroup', resource: 'podgroups' },
    { group: schedulingGroup, kind: 'Workload', resource: 'workloads' },
  ],
};

function claimBy(spec: PodSpec): StatedClaim | undefined {
  const podGroup = spec.schedulingGroup?.podGroupName;
  if (podGroup === undefined || podGroup === '') return workloadClaim(spec);
  return { id: `podgroup/${podGroup}`, display: podGroup, object: { apiGroup: schedulingGroup, name: podGroup } };
}

interface WorkloadLink {
  readonly name?: string;
  readonly podGroup?: string;
  readonly replica?: string | number;
}

function workloadClaim(spec: PodSpec): StatedClaim | undefined {
  const link = workloadLink(spec);
  if (link === undefined || !link.name || !link.podGroup) return undefined;
  const replica = link.replica;
  const parent = `workload/${link.name}/${link.podGroup}`;
  return {
    id: `${parent}/${replica ?? ''}`,
    display: replica === undefined ? link.podGroup : `${link.podGroup}/${replica}`,
    parent,
    workload: {
      name: link.name,
      podGroup: link.podGroup,
      ...(replica === undefined ? {} : { replica: String(replica) }),
    },
    ...(typeof replica === 'number' ? { index: replica } : {}),
  };
}

function workloadLink(spec: PodSpec): WorkloadLink | undefined {
  if (spec.workloadRef !== undefined) {
    const { name, podGroup, podGroupReplicaKey } = spec.workloadRef;
    return link(name, podGroup, podGroupReplicaKey);
  }
  const kep = spec.workloadReference ?? spec.workload;
  return kep === undefined ? undefined : link(kep.name, kep.podGroup, kep.podGroupReplicaIndex);
}

function link(
  name: string | undefined,
  podGroup: string | undefined,
  replica: string | number | undefined,
): WorkloadLink {
  return {
    ...(name === undefined ? {} : { name }),
    ...(podGroup === undefined ? {} : { podGroup }),
    ...(replica === undefined || replica === '' ? {} : { replica }),
  };
}
