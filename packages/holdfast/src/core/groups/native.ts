import type { Pod, PodSpec } from '../../api/pod.ts';
import type { GroupClaim } from './claim.ts';

export const schedulingGroup = 'scheduling.k8s.io';

/** The Kubernetes API's own groups: 1.36 and later name a PodGroup object; 1.35 and the KEP name a Workload's pod group. */
export function nativeClaim(pod: Pod): GroupClaim | undefined {
  const spec = pod.spec;
  if (spec === undefined) return undefined;
  const podGroup = spec.schedulingGroup?.podGroupName;
  if (podGroup !== undefined && podGroup !== '') {
    return {
      convention: 'native',
      id: `podgroup/${podGroup}`,
      display: podGroup,
      object: { apiGroup: schedulingGroup, name: podGroup },
    };
  }
  return workloadClaim(spec);
}

interface WorkloadLink {
  readonly name?: string;
  readonly podGroup?: string;
  readonly replica?: string | number;
}

function workloadClaim(spec: PodSpec): GroupClaim | undefined {
  const link = workloadLink(spec);
  if (link === undefined || !link.name || !link.podGroup) return undefined;
  const replica = link.replica;
  const parent = `workload/${link.name}/${link.podGroup}`;
  return {
    convention: 'native',
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
