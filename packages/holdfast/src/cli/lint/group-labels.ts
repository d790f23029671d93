import { type Fields, isObject } from '@holdfast/base/json';
import type { StringMap } from '@holdfast/base/meta';
import type { PodTemplate } from '../../core/lint/pod-templates.ts';
import type { LoadedObject } from '../load-objects.ts';

/** How many pods a template stands for, and what their controller adds to each: that is what tells their groups. */
export interface PodSet {
  readonly count: number;
  readonly mark: (index: number) => PodMarks;
}

export interface PodMarks {
  readonly labels: StringMap;
  readonly annotations: StringMap;
}

/** The PodGroup that the controller of some kinds makes beside the pods. */
export interface StandInGroup {
  readonly apiVersion: string;
  readonly name: string;
  readonly minMember: number;
}

interface PodMaker {
  readonly podSet: (object: LoadedObject, template: PodTemplate) => PodSet;
  readonly group?: (object: LoadedObject, pods: number) => StandInGroup;
}

const unmarked: PodMarks = { labels: {}, annotations: {} };

function whole(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
}

function nearestWhole(around: readonly Fields[], ...fields: readonly string[]): number | undefined {
  return around.flatMap((holder) => fields.flatMap((field) => whole(holder[field]) ?? []))[0];
}

/** The number of replicas stands beside the template, or above it; that of a Job is called parallelism. */
const anyMaker: PodMaker = {
  podSet: (_, { around }) => ({ count: nearestWhole(around, 'replicas', 'parallelism') ?? 1, mark: () => unmarked }),
};

const lws = 'leaderworkerset.sigs.k8s.io';

/** A leader and its workers for each replica. Without a template of its own the leader has that of the workers. */
const leaderWorkerSet: PodMaker = {
  podSet: (object, { path, around: [template = {}, spec = {}] }) => {
    const size = whole(template['size']) ?? 1;
    const groups = whole(spec['replicas']) ?? 1;
    const isLeader = path.endsWith('.leaderTemplate');
    const hasLeader = isObject(template['leaderTemplate']);
    const first = isLeader || !hasLeader ? 0 : 1;
    const each = isLeader ? 1 : Math.max(0, size - first);
    return {
      count: groups * each,
      mark: (index) => ({
        labels: {
          [`${lws}/name`]: object.metadata.name,
          [`${lws}/group-index`]: String(Math.floor(index / each)),
          [`${lws}/worker-index`]: String(first + (index % each)),
        },
        annotations: { [`${lws}/size`]: String(size) },
      }),
    };
  },
};

const jobset = 'jobset.sigs.k8s.io';

/** Every Job of a JobSet is a group, unless it has one pod. */
const jobSet: PodMaker = {
  podSet: ({ metadata }, { around }) => {
    const replicated = around.find(hasJobTemplate) ?? {};
    const jobs = whole(replicated['replicas']) ?? 1;
    const pods = nearestWhole(around.slice(0, 1), 'parallelism') ?? 1;
    const name = String(replicated['name'] ?? 'job');
    return {
      count: jobs * pods,
      mark: (index) => {
        const job = Math.floor(index / pods);
        const key = pods === 1 ? {} : { [`${jobset}/job-key`]: `${metadata.name}-${name}-${job}` };
        return {
          labels: {
            ...key,
            [`${jobset}/jobset-name`]: metadata.name,
            [`${jobset}/replicatedjob-name`]: name,
            [`${jobset}/replicatedjob-replicas`]: String(jobs),
            [`${jobset}/job-index`]: String(job),
          },
          annotations: {},
        };
      },
    };
  },
};

function hasJobTemplate({ template }: Fields): boolean {
  const spec = isObject(template) ? template['spec'] : undefined;
  return isObject(spec) && isObject(spec['template']);
}

/** Workers on several hosts are a group for each replica; the head, and workers on one host, are pods of their own. */
const ray: PodMaker = {
  podSet: ({ metadata }, { path, around: [group = {}] }) => {
    const isHead = path.endsWith('headGroupSpec.template');
    const hosts = isHead ? 1 : Math.max(1, whole(group['numOfHosts']) ?? 1);
    const name = isHead ? 'headgroup' : String(group['groupName'] ?? 'workers');
    const common = {
      'ray.io/cluster': metadata.name,
      'ray.io/group': name,
      'ray.io/node-type': isHead ? 'head' : 'worker',
    };
    return {
      count: isHead ? 1 : (whole(group['replicas']) ?? whole(group['minReplicas']) ?? 1) * hosts,
      mark: (index) => {
        const replica = String(Math.floor(index / hosts));
        const grouped = {
          'ray.io/worker-group-replica-name': `${name}-${replica}`,
          'ray.io/worker-group-replica-index': replica,
        };
        return { labels: { ...common, ...(hosts === 1 ? {} : grouped) }, annotations: {} };
      },
    };
  },
};

/** A Job of Volcano is one gang: its controller makes a PodGroup, which every pod names. */
const volcano: PodMaker = {
  podSet: (object, { around: [task = {}] }) => ({
    count: whole(task['replicas']) ?? 1,
    mark: () => ({
      labels: { 'volcano.sh/job-name': object.metadata.name, 'volcano.sh/task-spec': String(task['name'] ?? '') },
      annotations: { 'scheduling.k8s.io/group-name': object.metadata.name },
    }),
  }),
  group: ({ metadata, spec }, pods) => ({
    apiVersion: 'scheduling.volcano.sh/v1beta1',
    name: metadata.name,
    minMember: (isObject(spec) ? whole(spec['minAvailable']) : undefined) ?? pods,
  }),
};

/** The training operator groups pods only where it is told to use a gang scheduler, which a manifest does not show. */
const training: PodMaker = {
  podSet: ({ metadata }, { path, around: [replicaSpec = {}] }) => ({
    count: whole(replicaSpec['replicas']) ?? 1,
    mark: (index) => ({
      labels: {
        'training.kubeflow.org/job-name': metadata.name,
        'training.kubeflow.org/replica-type': (path.split('.').at(-2) ?? '').toLowerCase(),
        'training.kubeflow.org/replica-index': String(index),
      },
      annotations: {},
    }),
  }),
};

const makers: readonly (readonly [apiGroup: string, kind: RegExp, maker: PodMaker])[] = [
  ['leaderworkerset.x-k8s.io', /^LeaderWorkerSet$/, leaderWorkerSet],
  ['jobset.x-k8s.io', /^JobSet$/, jobSet],
  ['ray.io', /^Ray(Cluster|Job|Service)$/, ray],
  ['batch.volcano.sh', /^Job$/, volcano],
  ['kubeflow.org', /^(PyTorch|TF|MPI|XGBoost|Paddle|JAX)Job$/, training],
];

export function makerOf({ apiVersion, kind }: LoadedObject): PodMaker {
  const [apiGroup = ''] = apiVersion.split('/');
  return makers.find(([group, kinds]) => group === apiGroup && kinds.test(kind))?.[2] ?? anyMaker;
}
