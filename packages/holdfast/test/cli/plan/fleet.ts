import { stringify } from 'yaml';

/**
 * A cluster of six nodes in two pools: a model that is served by three groups of two pods, a shop whose pods go one at a time, a
 * database that never lets a pod go, and a daemon on every node.
 */
interface PodWish {
  readonly name: string;
  readonly node: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly owner: { readonly kind: string; readonly name: string };
  readonly cpu: string;
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

const namespace = 'shop';

function pod({ name, node, labels, owner, cpu, extra = {}, annotations = {} }: PodWish): object {
  const ownerReferences = [
    { apiVersion: 'apps/v1', ...owner, uid: `uid-${owner.kind}-${owner.name}`, controller: true },
  ];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid: `uid-${name}`, labels, annotations, ownerReferences },
    spec: { nodeName: node, containers: [{ name: 'main', resources: { requests: { cpu, memory: '1Gi' } } }], ...extra },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

function node(name: string, pool: string): object {
  const labels = { 'kubernetes.io/hostname': name, pool };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    status: { allocatable: { cpu: '4', memory: '16Gi', pods: '110' } },
  };
}

function workload(kind: string, name: string, replicas?: number): object {
  const metadata = { name, namespace, uid: `uid-${kind}-${name}` };
  return { apiVersion: 'apps/v1', kind, metadata, spec: replicas === undefined ? {} : { replicas } };
}

function pdb(name: string, spec: object, annotations: Readonly<Record<string, string>> = {}): object {
  const selector = { matchLabels: { app: name } };
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace, annotations },
    spec: { selector, ...spec },
  };
}

const modelNodes = ['a1', 'a2', 'a2', 'a3', 'a3', 'a1'];

function modelPod(i: number): object {
  const group = String(Math.floor(i / 2));
  return pod({
    name: `llm-${group}-${i % 2}`,
    node: modelNodes[i] ?? 'a1',
    labels: {
      app: 'llm',
      'leaderworkerset.sigs.k8s.io/name': 'llm',
      'leaderworkerset.sigs.k8s.io/group-index': group,
      'leaderworkerset.sigs.k8s.io/worker-index': String(i % 2),
    },
    annotations: { 'leaderworkerset.sigs.k8s.io/size': '2' },
    owner: { kind: 'StatefulSet', name: 'llm' },
    cpu: '1',
    extra: { terminationGracePeriodSeconds: 120 },
  });
}

function shopPod(name: string, on: string): object {
  return pod({ name, node: on, labels: { app: 'web' }, owner: { kind: 'ReplicaSet', name: 'web' }, cpu: '500m' });
}

export const nodeNames = ['a1', 'a2', 'a3', 'b1', 'b2', 'b3'];

export function fleet(): string {
  const objects = [
    ...nodeNames.map((name) => node(name, name.startsWith('a') ? 'gpu' : 'old')),
    {
      apiVersion: 'leaderworkerset.x-k8s.io/v1',
      kind: 'LeaderWorkerSet',
      metadata: { name: 'llm', namespace, uid: 'lws' },
      spec: { replicas: 3 },
    },
    workload('StatefulSet', 'llm', 6),
    workload('ReplicaSet', 'web', 4),
    workload('StatefulSet', 'db', 1),
    workload('DaemonSet', 'logs'),
    pdb('llm', { maxUnavailable: 2 }, { 'holdfast.dev/budget-scope': 'PodGroup' }),
    pdb('web', { maxUnavailable: 1 }),
    pdb('db', { minAvailable: 1 }),
    ...modelNodes.map((_, i) => modelPod(i)),
    shopPod('web-0', 'b1'),
    shopPod('web-1', 'b1'),
    shopPod('web-2', 'b2'),
    shopPod('web-3', 'a1'),
    pod({ name: 'db-0', node: 'b3', labels: { app: 'db' }, owner: { kind: 'StatefulSet', name: 'db' }, cpu: '1' }),
    ...nodeNames.map((name) =>
      pod({
        name: `logs-${name}`,
        node: name,
        labels: { app: 'logs' },
        owner: { kind: 'DaemonSet', name: 'logs' },
        cpu: '100m',
      }),
    ),
  ];
  return objects.map((object) => stringify(object)).join('---\n');
}
