import type { KubeObject } from '../../src/cluster/objects.ts';
import type { Random } from '../core/ledger-model/random.ts';

export const namespace = 'shop';

/** A workload of the simulation: the label `app` of its pods is its name. */
export interface App {
  readonly name: string;
  readonly kind: 'StatefulSet' | 'Deployment' | 'LeaderWorkerSet';
  readonly replicas: number;
  readonly object: KubeObject;
}

export interface Scenario {
  readonly apps: readonly App[];
  readonly budgets: readonly KubeObject[];
  readonly replicas: number;
}

/** A label with which some pods of an application are selected by a second budget. */
export const tierLabel = 'tier';
const ordinalLabel = 'apps.kubernetes.io/pod-index';
const lwsIndex = 'leaderworkerset.sigs.k8s.io/group-index';

export function drawScenario(random: Random): Scenario {
  const kinds = ['StatefulSet', 'Deployment', 'LeaderWorkerSet'] as const;
  const app = anApp(random, random.pick(kinds) ?? 'StatefulSet');
  return { apps: [app], budgets: drawBudgets(random, app), replicas: 1 + random.below(3) };
}

function anApp(random: Random, kind: App['kind']): App {
  if (kind === 'LeaderWorkerSet') {
    const replicas = 2 + random.below(2);
    return { name: 'llm', kind, replicas, object: aLeaderWorkerSet('llm', replicas, 2) };
  }
  const replicas = 3 + random.below(2);
  if (kind === 'StatefulSet') return { name: 'db', kind, replicas, object: aStatefulSet('db', replicas) };
  return { name: 'web', kind, replicas, object: aDeployment('web', replicas) };
}

function drawBudgets(random: Random, app: App): readonly KubeObject[] {
  const { name, kind, replicas } = app;
  const room = random.chance(80) ? 1 : 2;
  const least = { minAvailable: replicas - room };
  const limit = random.chance(50) ? { maxUnavailable: room } : least;
  const all = { app: name };
  const front = { app: name, [tierLabel]: 'front' };
  const pub = aPub('pub', all, limit, kind === 'LeaderWorkerSet' ? 2 : undefined);
  const plain = aPdb('plain', all, limit);
  const tier = aPdb('tier', front, { minAvailable: random.below(2) });
  if (kind === 'LeaderWorkerSet') {
    const groups = aPdb('group', all, limit, {});
    return random.pick([[pub], [groups], [pub, groups], [pub, tier]]) ?? [];
  }
  if (kind === 'Deployment') return random.pick([[pub], [pub, plain], [pub, tier], [plain, frontGroup(front)]]) ?? [];
  const groups = aPdb('group', all, least, { label: ordinalLabel });
  return random.pick([[pub], [pub, plain], [pub, tier], [plain, frontGroup(front)], [groups], [groups, tier]]) ?? [];
}

/** A budget of ours over few of the pods that a plain one covers. */
function frontGroup(front: Readonly<Record<string, string>>): KubeObject {
  return aPdb('group', front, { minAvailable: 0 }, { label: tierLabel });
}

function template(name: string) {
  return {
    metadata: { labels: { app: name } },
    spec: {
      terminationGracePeriodSeconds: 5,
      containers: [{ name: 'main', image: 'app:1' }],
    },
  };
}

function aStatefulSet(name: string, replicas: number): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, namespace },
    spec: {
      replicas,
      serviceName: name,
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: { app: name } },
      template: template(name),
    },
  };
}

function aDeployment(name: string, replicas: number): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: template(name) },
  };
}

function aLeaderWorkerSet(name: string, replicas: number, size: number): KubeObject {
  return {
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    kind: 'LeaderWorkerSet',
    metadata: { name, namespace },
    spec: { replicas, leaderWorkerTemplate: { size, workerTemplate: template(name) } },
  };
}

type Limit = { readonly maxUnavailable: number } | { readonly minAvailable: number };

function aPub(name: string, labels: Readonly<Record<string, string>>, limit: Limit, groupMinimum?: number): KubeObject {
  const policy = { groupLabelKey: lwsIndex, minReadyReplicas: groupMinimum ?? 1 };
  return {
    apiVersion: 'policy.kruise.io/v1beta1',
    kind: 'PodUnavailableBudget',
    metadata: { name, namespace },
    spec: {
      selector: { matchLabels: labels },
      ...limit,
      ...(groupMinimum === undefined ? {} : { podGroupPolicy: policy }),
    },
  };
}

function aPdb(
  name: string,
  labels: Readonly<Record<string, string>>,
  limit: Limit,
  groups?: { readonly label?: string },
): KubeObject {
  const byLabel =
    groups?.label === undefined
      ? {}
      : { 'holdfast.dev/group-label': groups.label, 'holdfast.dev/group-min-available': '1' };
  const annotations = groups === undefined ? {} : { 'holdfast.dev/budget-scope': 'PodGroup', ...byLabel };
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace, annotations },
    spec: { selector: { matchLabels: labels }, ...limit },
  };
}
