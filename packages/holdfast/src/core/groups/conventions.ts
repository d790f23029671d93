import type { StringMap } from '@holdfast/base/meta';
import type { Pod } from '../../api/pod.ts';
import { type GroupClaim, index, positiveInteger } from './claim.ts';
import { nativeClaim } from './native.ts';

/** How the pods of one system name their group. To support another system, add an entry and its tests, nothing else. */
interface Convention {
  readonly name: string;
  readonly claim: (labels: StringMap, annotations: StringMap) => Omit<GroupClaim, 'convention'> | undefined;
}

const lws = 'leaderworkerset.sigs.k8s.io';
const jobset = 'jobset.sigs.k8s.io';
const kueue = 'kueue.x-k8s.io';
const rbg = 'rbg.workloads.x-k8s.io';
const storm = 'stormservice.orchestration.aibrix.ai';

/** In the order in which they are tried: the more exact claim first (Kueue wraps LWS groups, coscheduling wraps anything). */
const conventions: readonly Convention[] = [
  {
    name: 'LeaderWorkerSet',
    claim: (labels, annotations) => {
      const name = labels[`${lws}/name`];
      const group = labels[`${lws}/group-index`];
      if (name === undefined || group === undefined) return undefined;
      return {
        id: `lws/${name}/${group}`,
        display: `${name}/${group}`,
        parent: `lws/${name}`,
        ...optional('index', index(group)),
        ...optional('size', positiveInteger(annotations[`${lws}/size`])),
      };
    },
  },
  {
    name: 'JobSet',
    claim: (labels, annotations) => {
      const key = labels[`${jobset}/job-key`];
      if (key === undefined) return undefined;
      const at = (field: string): string | undefined =>
        labels[`${jobset}/${field}`] ?? annotations[`${jobset}/${field}`];
      const replicated = `${at('jobset-name') ?? ''}/${at('replicatedjob-name') ?? ''}`;
      const job = at('job-index');
      return {
        id: `jobset/${key}`,
        display: job === undefined ? key : `${replicated}/${job}`,
        parent: `jobset/${replicated}`,
        ...optional('index', index(job)),
        ...optional('expected', positiveInteger(at('replicatedjob-replicas'))),
      };
    },
  },
  {
    name: 'KubeRay',
    claim: (labels) => {
      const replica = labels['ray.io/worker-group-replica-name'];
      if (replica === undefined) return undefined;
      return {
        id: `ray/${labels['ray.io/cluster'] ?? ''}/${replica}`,
        display: replica,
        parent: `ray/${labels['ray.io/cluster'] ?? ''}/${labels['ray.io/group'] ?? ''}`,
        ...optional('index', index(labels['ray.io/worker-group-replica-index'])),
      };
    },
  },
  {
    name: 'Grove',
    claim: (labels) => {
      const gang = labels['grove.io/podgang'];
      if (gang === undefined) return undefined;
      return {
        id: `grove/${gang}`,
        display: gang,
        ...optional('index', index(labels['grove.io/podcliqueset-replica-index'])),
      };
    },
  },
  {
    name: 'RoleBasedGroup',
    claim: (labels, annotations) => {
      // `component-size` is the size of one component of an instance, not of the instance; `role-size` counts instances.
      const instance = labels[`${rbg}/role-instance-name`];
      if (instance === undefined) return undefined;
      return {
        id: `rbg/${instance}`,
        display: instance,
        parent: `rbg/${labels[`${rbg}/group-name`] ?? ''}/${labels[`${rbg}/role-name`] ?? ''}`,
        ...optional('index', index(labels[`${rbg}/role-instance-index`])),
        ...optional('expected', positiveInteger(annotations[`${rbg}/role-size`])),
      };
    },
  },
  {
    name: 'AIBrix',
    claim: (labels) => {
      const podset = labels[`${storm}/podset-name`];
      if (podset === undefined) return undefined;
      return {
        id: `aibrix/${podset}`,
        display: podset,
        ...optional('index', index(labels[`${storm}/role-replica-index`])),
      };
    },
  },
  {
    name: 'Kueue',
    claim: (labels, annotations) => {
      const name = labels[`${kueue}/pod-group-name`];
      if (name === undefined) return undefined;
      return {
        id: `kueue/${name}`,
        display: name,
        ...optional('size', positiveInteger(annotations[`${kueue}/pod-group-total-count`])),
      };
    },
  },
  {
    name: 'Volcano',
    claim: (_labels, annotations) => {
      const name = annotations['scheduling.k8s.io/group-name'] ?? annotations['scheduling.volcano.sh/group-name'];
      if (name === undefined) return undefined;
      return {
        id: `volcano/${name}`,
        display: name,
        ...optional('minimum', positiveInteger(annotations['scheduling.volcano.sh/group-min-member'])),
        object: { apiGroup: 'scheduling.volcano.sh', name },
      };
    },
  },
  {
    name: 'Coscheduling',
    claim: (labels) => {
      const name = labels['scheduling.x-k8s.io/pod-group'] ?? labels['pod-group.scheduling.x-k8s.io/name'];
      if (name === undefined) return undefined;
      return {
        id: `coscheduling/${name}`,
        display: name,
        ...optional('minimum', positiveInteger(labels['pod-group.scheduling.x-k8s.io/min-available'])),
        object: { apiGroup: 'scheduling.x-k8s.io', name },
      };
    },
  },
];

function optional<K extends string>(key: K, value: number | undefined): Partial<Record<K, number>> {
  return value === undefined ? {} : ({ [key]: value } as Partial<Record<K, number>>);
}

const none: StringMap = {};

/** The groups that a pod says it belongs to: its native one, and the one of the first convention that fits. */
export function claimsOf(pod: Pod): readonly GroupClaim[] {
  const native = nativeClaim(pod);
  const other = conventionalClaim(pod);
  if (native === undefined) return other === undefined ? noClaims : [other];
  return other === undefined ? [native] : [native, other];
}

/** Shared by the many pods that have none. */
const noClaims: readonly GroupClaim[] = [];

function conventionalClaim(pod: Pod): GroupClaim | undefined {
  const labels = pod.metadata.labels ?? none;
  const annotations = pod.metadata.annotations ?? none;
  for (const convention of conventions) {
    const claim = convention.claim(labels, annotations);
    if (claim !== undefined) return { convention: convention.name, ...claim };
  }
  return undefined;
}

/** The LeaderWorkerSet that a pod's labels name: its chain of owners goes through its leader, which may be gone (O3). */
export function leaderWorkerSetOf(labels: StringMap): string | undefined {
  return labels[`${lws}/name`];
}
