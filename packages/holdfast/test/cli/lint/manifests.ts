import { stringify } from 'yaml';
import { worldOf } from '../../../src/cli/feed-world.ts';
import { withStandIns } from '../../../src/cli/lint/stand-ins.ts';
import type { LoadedObject } from '../../../src/cli/load-objects.ts';
import { lint } from '../../../src/core/lint/lint.ts';

/** Manifests as people write them: no uids, no status, mostly no namespace. */

type Fields = Readonly<Record<string, unknown>>;

const container = { name: 'main', readinessProbe: { httpGet: { port: 80 } } };

export function pdb(name: string, spec: Fields, annotations: Fields = {}): LoadedObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, annotations },
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
  };
}

export function pub(name: string, spec: Fields): LoadedObject {
  return {
    apiVersion: 'policy.kruise.io/v1beta1',
    kind: 'PodUnavailableBudget',
    metadata: { name },
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
  };
}

interface TemplateWish {
  readonly annotations?: Fields;
  readonly labels?: Fields;
  readonly containers?: readonly Fields[];
}

const template = ({ annotations = {}, labels = {}, containers = [container] }: TemplateWish = {}) => ({
  metadata: { labels: { app: 'web', ...labels }, annotations },
  spec: { containers },
});

export function deployment(replicas: number | undefined, wish: TemplateWish = {}): LoadedObject {
  const spec = { ...(replicas === undefined ? {} : { replicas }), template: template(wish) };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec };
}

export function daemonSet(): LoadedObject {
  return { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'web' }, spec: { template: template() } };
}

export function statefulSet(annotations: Fields): LoadedObject {
  const metadata = { name: 'web', annotations };
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata, spec: { replicas: 3, template: template() } };
}

export function leaderWorkerSet(replicas: number, size: number): LoadedObject {
  return {
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    kind: 'LeaderWorkerSet',
    metadata: { name: 'web' },
    spec: { replicas, leaderWorkerTemplate: { size, workerTemplate: template() } },
  };
}

export function statefulSetOf(type: string): LoadedObject {
  const set = statefulSet({});
  return { ...set, spec: { replicas: 3, template: template(), updateStrategy: { type } } };
}

export function withAnnotations(object: LoadedObject, annotations: Fields): LoadedObject {
  return { ...object, metadata: { ...object.metadata, annotations } };
}

const rayGroup = (replicas: number, numOfHosts: number) => ({
  headGroupSpec: { template: template({ labels: { app: 'head' } }) },
  workerGroupSpecs: [{ groupName: 'gpu', replicas, numOfHosts, template: template() }],
});

const of = (apiVersion: string, kind: string, spec: Fields): LoadedObject => ({
  apiVersion,
  kind,
  metadata: { name: 'web' },
  spec,
});

const jobs = (replicas: number, parallelism: number) => ({
  replicatedJobs: [{ name: 'workers', replicas, template: { spec: { parallelism, template: template() } } }],
});

const tasks = (...replicas: readonly number[]) => ({
  minAvailable: 2,
  tasks: replicas.map((count, index) => ({ name: `t${index}`, replicas: count, template: template() })),
});

const workers = (replicas: number) => ({
  pytorchReplicaSpecs: { Master: { replicas: 1, template: template() }, Worker: { replicas, template: template() } },
});

/** Kinds whose pods serve in groups, and what is found where the budget counts groups. */
export const groupKinds = [
  { title: 'RayCluster', object: of('ray.io/v1', 'RayCluster', rayGroup(2, 2)), alone: [] },
  { title: 'RayJob', object: of('ray.io/v1', 'RayJob', { rayClusterSpec: rayGroup(2, 2) }), alone: [] },
  { title: 'RayService', object: of('ray.io/v1', 'RayService', { rayClusterConfig: rayGroup(2, 2) }), alone: [] },
  { title: 'JobSet', object: of('jobset.x-k8s.io/v1alpha2', 'JobSet', jobs(2, 2)), alone: [] },
  {
    title: 'Job of Volcano',
    object: of('batch.volcano.sh/v1alpha1', 'Job', tasks(1, 3)),
    // There is one gang, and one is needed.
    alone: ['HF003 PodDisruptionBudget'],
  },
  { title: 'LeaderWorkerSet', object: leaderWorkerSet(2, 2), alone: [] },
] as const;

/** Kinds whose pods serve alone, and of which a budget that counts pods is right. */
export const singleKinds = [
  { title: 'RayCluster on single hosts', object: of('ray.io/v1', 'RayCluster', rayGroup(3, 1)) },
  { title: 'JobSet of single pods', object: of('jobset.x-k8s.io/v1alpha2', 'JobSet', jobs(3, 1)) },
  { title: 'PyTorchJob', object: of('kubeflow.org/v1', 'PyTorchJob', workers(3)) },
  {
    title: 'CronJob',
    object: of('batch/v1', 'CronJob', { jobTemplate: { spec: { parallelism: 2, template: template() } } }),
  },
  {
    title: 'a kind that is not known',
    object: of('example.com/v1', 'Farm', { pools: [{ replicas: 2, template: template() }] }),
  },
] as const;

export function autoscaler(minReplicas?: number): LoadedObject {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web' },
    spec: { scaleTargetRef, ...(minReplicas === undefined ? {} : { minReplicas }) },
  };
}

export function yamlOf(objects: readonly LoadedObject[]): string {
  return objects.map((object) => stringify(object)).join('---\n');
}

/** The codes that manifests get, with the objects they are about. */
export function codesOf(objects: readonly LoadedObject[]): readonly string[] {
  return lint({ world: worldOf(withStandIns(objects)), objects }).map(
    ({ rule, object }) => `${rule.code} ${object.kind}`,
  );
}

export function messagesOf(objects: readonly LoadedObject[]): readonly string[] {
  return lint({ world: worldOf(withStandIns(objects)), objects }).map(({ message }) => message);
}
