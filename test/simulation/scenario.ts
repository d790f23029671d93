import type { KubeObject } from '../../packages/embedded-cluster/src/objects.ts';
import type { Random } from '../../packages/holdfast/test/core/ledger-model/random.ts';
import {
  aDeployment,
  aLeaderWorkerSet,
  aPdb,
  aPub,
  aStatefulSet,
  cellLabel,
  gangWorkload,
  gated,
  type Limit,
  ordinalLabel,
  type PodTraits,
  probed,
  quick,
  sizeAnnotation,
  tierLabel,
  undivided,
} from './objects.ts';

/** A workload of the simulation. */
export interface App {
  readonly name: string;
  readonly kind: 'StatefulSet' | 'Deployment' | 'LeaderWorkerSet';
  /** Pods, or groups of a LeaderWorkerSet. */
  readonly replicas: number;
  readonly pods: number;
  readonly object: KubeObject;
  /** Its scale stays as it is. */
  readonly fixed?: true;
}

export interface Scenario {
  readonly apps: readonly App[];
  /** What else is there before its pods are. */
  readonly others: readonly KubeObject[];
  readonly budgets: readonly KubeObject[];
  readonly replicas: number;
}

/** A third replica costs as much as the second, and seldom shows what two do not. */
const replicaCounts = [1, 1, 2, 2, 2, 3];

/** Neighbouring seeds tell stories of different kinds, so that few of them have met all kinds. */
export function drawScenario(seed: number, random: Random): Scenario {
  const kind = [single, shards, single, cells, single, shards, single, gang, single, shards][seed % 10] ?? single;
  return { others: [], ...kind(random), replicas: random.pick(replicaCounts) ?? 1 };
}

type Drawn = Omit<Scenario, 'replicas' | 'others'> & Partial<Pick<Scenario, 'others'>>;

/** Each pod is a unit, or the only one of its group. */
function single(random: Random): Drawn {
  const replicas = 3 + random.below(2);
  const traits = random.pick([gated, quick, quick, {}]) ?? {};
  const room = random.chance(80) ? 1 : 2;
  const least = { minAvailable: replicas - room };
  const limit = random.chance(50) ? { maxUnavailable: room } : least;
  if (random.chance(50)) {
    const object = aDeployment('web', replicas, traits);
    return { apps: [{ name: 'web', kind: 'Deployment', replicas, pods: replicas, object }], ...budgetsOf('web') };
  }
  const object = aStatefulSet('db', 'db', replicas, traits);
  const apps: readonly App[] = [{ name: 'db', kind: 'StatefulSet', replicas, pods: replicas, object }];
  return { apps, ...budgetsOf('db') };

  function budgetsOf(app: string): { readonly budgets: readonly KubeObject[] } {
    const all = { app };
    const front = { app, [tierLabel]: 'front' };
    const pub = aPub('pub', all, limit, random.chance(20) ? { total: replicas } : {});
    const plain = aPdb('plain', all, limit);
    const tier = aPdb('tier', front, { minAvailable: random.below(2) });
    const mixed = [plain, frontGroup(front)];
    if (app === 'web') return { budgets: random.pick([[pub], [pub, plain], [pub, tier], mixed]) ?? [] };
    const groups = aPdb('group', all, least, { label: ordinalLabel, minimum: 1 });
    return { budgets: random.pick([[pub], [pub, plain], [pub, tier], mixed, [groups], [groups, tier]]) ?? [] };
  }
}

/** A budget of ours over few of the pods that a plain one covers. */
function frontGroup(front: Readonly<Record<string, string>>): KubeObject {
  return aPdb('group', front, { minAvailable: 0 }, { label: tierLabel, minimum: 1 });
}

/** A LeaderWorkerSet: groups of two. */
function shards(random: Random): Drawn {
  const replicas = 2 + random.below(2);
  const object = aLeaderWorkerSet('llm', replicas, 2, random.chance(30) ? probed : {});
  const apps: readonly App[] = [{ name: 'llm', kind: 'LeaderWorkerSet', replicas, pods: replicas * 2, object }];
  const room = random.chance(80) ? 1 : 2;
  const limit: Limit = random.chance(50) ? { maxUnavailable: room } : { minAvailable: replicas - room };
  const all = { app: 'llm' };
  const pub = aPub('pub', all, limit, { groupMinimum: random.pick([2, 2, 3]) ?? 2 });
  const groups = aPdb('group', all, limit, {});
  const tier = aPdb('tier', { ...all, [tierLabel]: 'front' }, { minAvailable: random.below(2) });
  return { apps, budgets: random.pick([[pub], [groups], [pub, groups], [pub, tier]]) ?? [] };
}

/** Groups by a label whose size nothing states, each a StatefulSet of its own; their pods take their time to go. */
function cells(random: Random): Drawn {
  const size = 2 + random.below(2);
  const apps = ['a', 'b'].map((cell): App => {
    const annotations = { [sizeAnnotation]: String(size), 'sim.holdfast.dev/stop-delay': '12s' };
    const traits: PodTraits = { labels: { [cellLabel]: cell }, annotations };
    const object = aStatefulSet(`cell-${cell}`, 'cells', size, traits);
    return { name: `cell-${cell}`, kind: 'StatefulSet', replicas: size, pods: size, object, fixed: true };
  });
  return { apps, budgets: [aPdb('group', { app: 'cells' }, { minAvailable: 1 }, { label: cellLabel })] };
}

/** Pods of a gang that say nothing of which replica of it they are in. */
function gang(): Drawn {
  const object = aDeployment('gang', 4, undivided);
  return {
    apps: [{ name: 'gang', kind: 'Deployment', replicas: 4, pods: 4, object, fixed: true }],
    others: [gangWorkload],
    budgets: [aPdb('gangs', { app: 'gang' }, { minAvailable: 1 })],
  };
}
