import type { LoadedObject } from '../../packages/holdfast/src/cli/load-objects.ts';

const born = '2026-10-01T00:00:00Z';
const ready = '2026-10-01T00:00:25Z';
const podsPerApp = 50;
const podsPerGroup = 5;
const namespaces = 20;

export interface FleetSize {
  readonly nodes: number;
  readonly pods: number;
}

/** A snapshot in which every other application is a Deployment, and the others are groups of five, all of them with a budget. */
export function snapshotOf({ nodes, pods }: FleetSize): readonly LoadedObject[] {
  const objects: object[] = Array.from({ length: nodes }, (_, index) => nodeOf(index));
  for (let app = 0; app < pods / podsPerApp; app += 1) {
    const place = { name: `app-${app}`, namespace: `team-${app % namespaces}` };
    const nodeFor = (pod: number) => nodeName(((app * podsPerApp + pod) * 7) % nodes);
    objects.push(...(app % 2 === 0 ? deploymentOf(place, nodeFor) : groupsOf(place, nodeFor)));
  }
  return objects as LoadedObject[];
}

export function nodeName(index: number): string {
  return `node-${String(index).padStart(4, '0')}`;
}

interface Place {
  readonly name: string;
  readonly namespace: string;
}

function nodeOf(index: number): object {
  const name = nodeName(index);
  const room = { cpu: '32', memory: '128Gi', pods: '110' };
  const labels = { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': `zone-${index % 3}` };
  const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: '', lastTransitionTime: born }];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    status: { capacity: room, allocatable: room, conditions },
  };
}

function deploymentOf({ name, namespace }: Place, nodeFor: (pod: number) => string): readonly object[] {
  const hash = '5d8f7c9b6';
  const labels = { app: name, 'pod-template-hash': hash };
  const set = `${name}-${hash}`;
  const of = (kind: string, owner: string) => ({
    apiVersion: 'apps/v1',
    kind,
    name: owner,
    uid: `${kind}-${owner}`,
    controller: true,
  });
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace, uid: `Deployment-${name}`, generation: 1, creationTimestamp: born },
      spec: { replicas: podsPerApp, selector: { matchLabels: { app: name } }, template: templateOf({ app: name }) },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        name: set,
        namespace,
        uid: `ReplicaSet-${set}`,
        generation: 1,
        labels,
        annotations: { 'deployment.kubernetes.io/revision': '1' },
        ownerReferences: [of('Deployment', name)],
      },
      spec: { replicas: podsPerApp, selector: { matchLabels: labels }, template: templateOf(labels) },
      status: { replicas: podsPerApp, readyReplicas: podsPerApp, availableReplicas: podsPerApp, observedGeneration: 1 },
    },
    budgetOf({ name, namespace }, '10%'),
    ...Array.from({ length: podsPerApp }, (_, pod) =>
      podOf({ name: `${set}-${pod}`, namespace }, labels, of('ReplicaSet', set), nodeFor(pod)),
    ),
  ];
}

function groupsOf({ name, namespace }: Place, nodeFor: (pod: number) => string): readonly object[] {
  const groups = podsPerApp / podsPerGroup;
  const podGroups = [{ name: 'shard', replicas: groups, policy: { gang: { minCount: podsPerGroup } } }];
  const sets = Array.from({ length: groups }, (_, group) => {
    const set = `${name}-${group}`;
    const labels = { app: name, group: String(group) };
    const more = { workload: { name, podGroup: 'shard', podGroupReplicaIndex: group } };
    const owner = {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      name: set,
      uid: `StatefulSet-${set}`,
      controller: true,
    };
    const spec = {
      replicas: podsPerGroup,
      serviceName: name,
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'OnDelete' },
      selector: { matchLabels: labels },
      template: templateOf(labels, more),
    };
    return [
      {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { name: set, namespace, uid: owner.uid, generation: 1 },
        spec,
      },
      ...Array.from({ length: podsPerGroup }, (_, pod) =>
        podOf({ name: `${set}-${pod}`, namespace }, labels, owner, nodeFor(group * podsPerGroup + pod), more),
      ),
    ];
  });
  const workload = {
    apiVersion: 'scheduling.k8s.io/v1alpha1',
    kind: 'Workload',
    metadata: { name, namespace },
    spec: { podGroups },
  };
  return [workload, budgetOf({ name, namespace }, 1), ...sets.flat()];
}

const containers = [{ name: 'main', image: 'app:1', resources: { requests: { cpu: '500m', memory: '512Mi' } } }];

function templateOf(labels: object, more: object = {}): object {
  return { metadata: { labels }, spec: { containers, ...more } };
}

function budgetOf({ name, namespace }: Place, maxUnavailable: number | string): object {
  const spec = { maxUnavailable, selector: { matchLabels: { app: name } } };
  return { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name, namespace }, spec };
}

function podOf({ name, namespace }: Place, labels: object, owner: object, node: string, more: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid: `Pod-${name}`, labels, creationTimestamp: born, ownerReferences: [owner] },
    spec: { nodeName: node, containers, ...more },
    status: {
      phase: 'Running',
      startTime: born,
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: ready }],
    },
  };
}
