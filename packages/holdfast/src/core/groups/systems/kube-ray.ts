import { index, stated } from '../claim.ts';
import { type PodMaker, whole } from '../pod-maker.ts';
import type { GroupSystem } from '../system.ts';

const group = 'ray.io';
const label = {
  cluster: 'ray.io/cluster',
  group: 'ray.io/group',
  replica: 'ray.io/worker-group-replica-name',
  index: 'ray.io/worker-group-replica-index',
} as const;

/** Workers on several hosts are a group for each replica; the head, and workers on one host, are pods of their own. */
const podMaker: PodMaker = {
  group,
  kinds: ['RayCluster', 'RayJob', 'RayService'],
  podSet: ({ metadata }, { path, around: [workers = {}] }) => {
    const isHead = path.endsWith('headGroupSpec.template');
    const hosts = isHead ? 1 : Math.max(1, whole(workers['numOfHosts']) ?? 1);
    const name = isHead ? 'headgroup' : String(workers['groupName'] ?? 'workers');
    const common = {
      [label.cluster]: metadata.name,
      [label.group]: name,
      'ray.io/node-type': isHead ? 'head' : 'worker',
    };
    return {
      count: isHead ? 1 : (whole(workers['replicas']) ?? whole(workers['minReplicas']) ?? 1) * hosts,
      mark: (at) => {
        const replica = String(Math.floor(at / hosts));
        const grouped = { [label.replica]: `${name}-${replica}`, [label.index]: replica };
        return { labels: { ...common, ...(hosts === 1 ? {} : grouped) }, annotations: {} };
      },
    };
  },
};

export const kubeRay: GroupSystem = {
  name: 'KubeRay',
  claim: (labels) => {
    const replica = labels[label.replica];
    if (replica === undefined) return undefined;
    return {
      id: `ray/${labels[label.cluster] ?? ''}/${replica}`,
      display: replica,
      parent: `ray/${labels[label.cluster] ?? ''}/${labels[label.group] ?? ''}`,
      ...stated('index', index(labels[label.index])),
    };
  },
  labels: Object.values(label),
  owners: [
    { group, kind: 'RayCluster', resource: 'rayclusters', scale: 'none' },
    { group, kind: 'RayJob', resource: 'rayjobs', scale: 'none' },
    { group, kind: 'RayService', resource: 'rayservices', scale: 'none' },
  ],
  podMakers: [podMaker],
};
