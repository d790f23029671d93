import { describe, expect, it } from 'vitest';
import { ask, aWorld, blockersOf } from '../../../../test/support/a-world.ts';
import { aGroupPdb, aLedger, anOwner, aPdb, aPod, aReservation, ns } from '../../../../test/support/builders.ts';
import { deploymentAndSet, groupIndex, lwsPods, podsOf, pubFor, reserveIn } from '../../../../test/support/fleet.ts';
import { table } from '../../../../test/support/table.ts';
import type { PodDisruptionBudget } from '../../src/api/pdb.ts';
import type { Blocker, Verdict } from '../../src/core/verdict.ts';

type PdbSpec = NonNullable<PodDisruptionBudget['spec']>;

interface Case {
  readonly name: string;
  readonly ask: () => Verdict;
  readonly want: Partial<Blocker>;
  readonly says: string;
}

const set = (replicas: number) => anOwner('StatefulSet', 'db', replicas);

/** Probed pods of a StatefulSet under a PDB: it counts them one by one. */
function probed(running: number, replicas: number, spec: PdbSpec, down: readonly number[] = []) {
  const owner = set(replicas);
  const pods = podsOf('db', running, owner).map((pod, i) => pod.probed(down.includes(i) ? 'False' : 'True'));
  return aWorld({ pods, owners: [owner], pdbs: [aPdb('db', { app: 'db' }, spec)], freshNodes: ['node-1'] });
}

function groups(count: number, replicas: number, spec: PdbSpec) {
  const owners = [anOwner('LeaderWorkerSet', 'llm', replicas)];
  return aWorld({ pods: lwsPods('llm', count, 2), owners, pdbs: [aGroupPdb('llm', { app: 'llm' }, spec)] });
}

function shards(shardsOf: readonly string[], replicas: number, spec: object) {
  const owner = set(replicas);
  const pods = shardsOf.map((shard, i) => aPod(`db-${i}`).labels({ app: 'db', shard }).ownedBy(owner));
  return aWorld({ pods, owners: [owner], pubs: [pubFor('db', spec)] });
}

/** One group by label; its workload still has to create two pods. */
function labelled(spec: PdbSpec) {
  const owner = set(4);
  const pods = ['a', 'a'].map((shard, i) => aPod(`db-${i}`).labels({ app: 'db', shard }).ownedBy(owner));
  return aWorld({ pods, owners: [owner], pdbs: [aGroupPdb('db', { app: 'db' }, spec, 'shard')] });
}

const byShard = (minReadyReplicas: number) => ({ podGroupPolicy: { groupLabelKey: 'shard', minReadyReplicas } });

const cases: readonly Case[] = [
  {
    name: 'one replica under minAvailable 1 can never be disrupted',
    ask: () => ask(probed(1, 1, { minAvailable: 1 }), 'EVICT', 'db-0'),
    want: {
      outlook: 'change',
      remedy: {
        kind: 'change',
        most: 1,
        stated: true,
        add: 1,
        scale: { owner: 'StatefulSet db', to: 2 },
        field: 'minAvailable',
      },
    },
    says: 'PDB db requires its only pod (1 available now), so waiting does not help; scale StatefulSet db to 2, or lower minAvailable',
  },
  {
    name: 'all replicas under minAvailable',
    ask: () => ask(probed(3, 3, { minAvailable: 3 }), 'EVICT', 'db-0'),
    want: { outlook: 'change' },
    says: 'PDB db requires all 3 of its 3 pods (3 available now), so waiting does not help; scale StatefulSet db to 4, or lower minAvailable',
  },
  {
    name: 'more than all replicas under minAvailable',
    ask: () => ask(probed(2, 2, { minAvailable: 5 }), 'EVICT', 'db-0'),
    want: { outlook: 'change' },
    says: 'PDB db requires 5 available pods and can have at most 2 (2 available now), so waiting does not help; scale StatefulSet db to 6, or lower minAvailable',
  },
  {
    name: 'a pod that the workload still has to create',
    ask: () => ask(probed(2, 3, { minAvailable: 2 }), 'EVICT', 'db-0'),
    want: { outlook: 'wait', remedy: { kind: 'wait' } },
    says: 'PDB db needs 2 available pods and has 2 of 3; disrupting db-0 leaves 1; wait until 1 more pod is available, or lower the budget',
  },
  {
    name: 'a pod that is down',
    ask: () => ask(probed(3, 3, { maxUnavailable: 1 }, [2]), 'EVICT', 'db-0'),
    want: { outlook: 'wait' },
    says: 'PDB db needs 2 available pods and has 2 of 3; disrupting db-0 leaves 1; wait until 1 more pod is available, or lower the budget',
  },
  {
    name: 'maxUnavailable 0: no scale helps',
    ask: () => ask(probed(2, 2, { maxUnavailable: 0 }), 'EVICT', 'db-0'),
    want: { outlook: 'change', remedy: { kind: 'change', most: 2, stated: true, field: 'maxUnavailable' } },
    says: 'PDB db requires all 2 of its 2 pods (2 available now), so waiting does not help; raise maxUnavailable',
  },
  {
    name: '100 %: no scale helps',
    ask: () => ask(probed(2, 2, { minAvailable: '100%' }), 'EVICT', 'db-0'),
    want: { outlook: 'change' },
    says: 'so waiting does not help; lower minAvailable',
  },
  {
    name: 'a percentage that rounds up to all: the smallest scale that leaves one',
    ask: () => ask(probed(3, 3, { minAvailable: '80%' }), 'EVICT', 'db-0'),
    want: { outlook: 'change' },
    says: 'scale StatefulSet db to 5, or lower minAvailable',
  },
  {
    name: 'the surge of a rollout: more pods run than the scale says',
    ask: () => {
      const { replicaSet, owners } = deploymentAndSet('web', 2);
      const pods = podsOf('web', 3, replicaSet).map((pod, i) => pod.probed(i === 2 ? 'False' : 'True'));
      const pdbs = [aPdb('web', { app: 'web' }, { minAvailable: 2 })];
      return ask(aWorld({ pods, owners, pdbs, freshNodes: ['node-1'] }), 'EVICT', 'web-0');
    },
    want: { outlook: 'wait' },
    says: 'wait until 1 more pod is available',
  },
  {
    name: 'bare pods: nothing states how many there should be',
    ask: () => {
      const pods = podsOf('db', 2).map((pod) => pod.probed('True'));
      const pdbs = [aPdb('db', { app: 'db' }, { minAvailable: 2 })];
      return ask(aWorld({ pods, pdbs, freshNodes: ['node-1'] }), 'EVICT', 'db-0');
    },
    want: { outlook: 'change' },
    says: 'PDB db requires all 2 of the 2 pods that exist (2 available now), so waiting does not help unless another pod is created; add 1 pod, or lower minAvailable',
  },
  {
    name: 'a plain budget of bare pods with maxUnavailable: Kubernetes expects none, and allows none',
    ask: () => {
      const pdbs = [aPdb('db', { app: 'db' }, { maxUnavailable: 1 })];
      return ask(aWorld({ pods: podsOf('db', 2), pdbs }), 'EVICT', 'db-0', {}, { judgePlain: true });
    },
    want: { code: 'BudgetExhausted', outlook: 'change', remedy: { kind: 'change', nothingExpected: true } },
    says: 'because it expects no pods there: they have no controller, or it is scaled to 0 (2 available now); waiting does not help; use an integer minAvailable',
  },
  {
    name: 'an owner that was not looked up yet',
    ask: () => {
      const pods = podsOf('db', 1, set(1)).map((pod) => pod.probed('True'));
      const pdbs = [aPdb('db', { app: 'db' }, { minAvailable: 1 })];
      return ask(aWorld({ pods, pdbs, freshNodes: ['node-1'] }), 'EVICT', 'db-0');
    },
    want: { outlook: 'wait' },
    says: 'wait until 1 more pod is available',
  },
  {
    name: 'all groups of a LeaderWorkerSet',
    ask: () => ask(groups(2, 2, { minAvailable: 2 }), 'EVICT', 'llm-0-1'),
    want: { outlook: 'change' },
    says: 'PDB llm requires all 2 of its 2 groups (2 available now), so waiting does not help; scale LeaderWorkerSet llm to 3, or lower minAvailable',
  },
  {
    name: 'a group that the LeaderWorkerSet still has to create',
    ask: () => ask(groups(2, 3, { minAvailable: 2 }), 'EVICT', 'llm-0-1'),
    want: { outlook: 'wait' },
    says: 'PDB llm needs 2 available groups and has 2 of 3; disrupting llm-0-1 takes group llm/0 down and leaves 1; wait until 1 more group is available',
  },
  {
    name: 'a group that can spare the pod when another pod of it is back',
    ask: () => {
      const owners = [anOwner('LeaderWorkerSet', 'llm', 1)];
      const pods = lwsPods('llm', 1, 3).map((pod, i) => (i === 2 ? pod.notReady() : pod));
      const podGroupPolicy = { groupLabelKey: groupIndex, minReadyReplicas: 2 };
      return ask(
        aWorld({ pods, owners, pubs: [pubFor('llm', { minAvailable: 1, podGroupPolicy })] }),
        'EVICT',
        'llm-0-0',
      );
    },
    want: { outlook: 'wait', remedy: { kind: 'wait', within: true } },
    says: 'wait until another pod of group 0 is available, or lower the budget',
  },
  {
    name: 'shards that only their pods show',
    ask: () => ask(shards(['a', 'a', 'b', 'b'], 4, { maxUnavailable: 0, ...byShard(2) }), 'DELETE', 'db-0'),
    want: { outlook: 'change' },
    says: 'PUB db requires all 2 of the 2 groups that exist (2 available now), so waiting does not help; raise maxUnavailable',
  },
  {
    name: 'shards of which the workload still has to create pods',
    ask: () => ask(shards(['a', 'a'], 4, { minAvailable: 1, ...byShard(2) }), 'DELETE', 'db-0'),
    want: { outlook: 'wait' },
    says: 'PUB db needs 1 available group and has 1 of 1; disrupting db-0 takes group a down and leaves 0; wait until 1 more group is available',
  },
  {
    name: 'groups by label, of a workload that has not created all of its pods',
    ask: () => ask(labelled({ minAvailable: 1 }), 'EVICT', 'db-0'),
    want: { outlook: 'wait' },
    says: 'wait until 1 more group is available',
  },
  {
    name: 'groups by label, where no number of them is enough',
    ask: () => ask(labelled({ maxUnavailable: 0 }), 'EVICT', 'db-0'),
    want: { outlook: 'change' },
    says: 'PDB db requires the only group that exists (1 available now), so waiting does not help; raise maxUnavailable',
  },
  {
    name: 'protectTotalReplicas above the scale of the workload',
    ask: () => {
      const pubs = [pubFor('db', { maxUnavailable: 1, protectTotalReplicas: 5 } as object)];
      return ask(aWorld({ pods: podsOf('db', 3, set(3)), owners: [set(3)], pubs }), 'DELETE', 'db-0');
    },
    want: { outlook: 'change', desired: 4, expected: 5 },
    says: 'PUB db requires 4 available pods and can have at most 3 (3 available now), so waiting does not help; scale StatefulSet db to 5, or raise maxUnavailable',
  },
  {
    name: 'a pod that is down under IfHealthyBudget, where the budget needs all',
    ask: () => {
      const owner = set(2);
      const pods = [
        aPod('db-0').labels({ app: 'db' }).ownedBy(owner).probed('True'),
        aPod('db-1').labels({ app: 'db' }).ownedBy(owner).notReady(),
      ];
      const pdbs = [aPdb('db', { app: 'db' }, { minAvailable: 2 })];
      return ask(aWorld({ pods, owners: [owner], pdbs, freshNodes: ['node-1'] }), 'EVICT', 'db-1');
    },
    want: { code: 'UnhealthyRefused', outlook: 'change' },
    says: 'so waiting does not help; pod db-1 is already down, and may be disrupted only while the budget is met; scale StatefulSet db to 3, or lower minAvailable, or set unhealthyPodEvictionPolicy: AlwaysAllow',
  },
  {
    name: 'a group whose label is missing',
    ask: () =>
      ask(
        aWorld({
          pods: [aPod('db').labels({ app: 'db' })],
          pdbs: [aGroupPdb('db', { app: 'db' }, { minAvailable: 1 }, 'shard')],
        }),
        'EVICT',
        'db',
      ),
    want: { code: 'GroupNotResolved', outlook: 'change' },
    says: 'the pod has no label shard; give the pod its group',
  },
  {
    name: 'a unit that a probe withholds',
    ask: () => {
      const owners = [anOwner('LeaderWorkerSet', 'llm', 2)];
      const pods = lwsPods('llm', 2, 2).map((pod, i) => (i === 1 ? pod.probed('False') : pod));
      const podGroupPolicy = { groupLabelKey: groupIndex, minReadyReplicas: 2 };
      const pubs = [pubFor('llm', { minAvailable: 1, podGroupPolicy })];
      return ask(aWorld({ pods, owners, pubs, freshNodes: ['node-1'] }), 'EVICT', 'llm-0-0');
    },
    want: { code: 'UnitWithheld', outlook: 'wait' },
    says: 'wait until the Disruptable condition of pod llm-0-1 is True',
  },
  {
    name: 'a unit that a probe withholds, of a budget that needs every unit',
    ask: () => {
      const owners = [anOwner('LeaderWorkerSet', 'llm', 2)];
      const pods = lwsPods('llm', 2, 2).map((pod, i) => (i === 1 ? pod.probed('False') : pod));
      const podGroupPolicy = { groupLabelKey: groupIndex, minReadyReplicas: 2 };
      const pubs = [pubFor('llm', { minAvailable: 2, podGroupPolicy })];
      return ask(aWorld({ pods, owners, pubs, freshNodes: ['node-1'] }), 'EVICT', 'llm-0-0');
    },
    want: { code: 'UnitWithheld', outlook: 'change' },
    says: 'is True, and scale LeaderWorkerSet llm to 3, or lower minAvailable: the budget needs every group',
  },
];

describe('a refusal says whether waiting helps', () => {
  table(
    cases.map((one) => ({ ...one, name: `[I15] ${one.name}` })),
    ({ ask, want, says }) => {
      const [blocker] = blockersOf(ask()).filter(({ code }) => want.code === undefined || code === want.code);
      expect(blocker).toMatchObject(want);
      expect(`${blocker?.message}; ${blocker?.unblock}`).toContain(says);
    },
  );

  it('[I15] an expected number that never will be known is not waited for', () => {
    const owner = anOwner('Job', 'migrate');
    const pods = podsOf('db', 2, owner).map((pod) => pod.probed('True'));
    const pdbs = [aPdb('db', { app: 'db' }, { maxUnavailable: 1 })];
    const world = aWorld({ pods, owners: [owner], pdbs, freshNodes: ['node-1'] });
    const [blocker] = blockersOf(ask(world, 'EVICT', 'db-0'));
    expect(blocker).toMatchObject({ code: 'ExpectedUnknown', outlook: 'change' });
    expect(blocker?.message).toContain('Job migrate has no scale');
    expect(blocker?.unblock).toContain('use an integer minAvailable');
  });
});

describe('a refusal says how many are reserved', () => {
  it('[I12] of pods', () => {
    const world = probed(7, 7, { minAvailable: 6 });
    reserveIn(world, 'db-6');
    const [blocker] = blockersOf(ask(world, 'EVICT', 'db-0'));
    expect(blocker).toMatchObject({ available: 6, reserved: 1 });
    expect(blocker?.message).toContain('has 6 of 7 (1 more is reserved for a disruption under way)');
  });

  it('[I12] not of the pod that is asked about, and not of pods that are down', () => {
    const world = probed(7, 7, { minAvailable: 6 }, [5, 6]);
    reserveIn(world, 'db-6', 'db-0');
    const [blocker] = blockersOf(ask(world, 'EVICT', 'db-0')).filter(({ code }) => code === 'BudgetExhausted');
    expect(blocker ?? 'allowed').not.toHaveProperty('reserved');
  });

  it('[I12] of groups: one for a group, however many of its pods are reserved', () => {
    const world = groups(4, 4, { minAvailable: 3 });
    reserveIn(world, 'llm-3-0', 'llm-3-1');
    const [blocker] = blockersOf(ask(world, 'EVICT', 'llm-0-0'));
    expect(blocker).toMatchObject({ available: 3, reserved: 1 });
    expect(blocker?.message).toContain('(1 more is reserved for a disruption under way)');
  });

  it('[I12] of the shards of a PodUnavailableBudget', () => {
    const world = shards(['a', 'a', 'b', 'b', 'c', 'c'], 6, { minAvailable: 1, ...byShard(2) });
    reserveIn(world, 'db-0', 'db-2');
    const [blocker] = blockersOf(ask(world, 'DELETE', 'db-4'));
    expect(blocker).toMatchObject({ available: 1, reserved: 2 });
    expect(blocker?.message).toContain('(2 more are reserved for disruptions under way)');
  });

  it('[I12] not a group that may yet turn out to stay: it is counted as available', () => {
    const world = groups(2, 2, { minAvailable: 2 });
    world.setLedger(ns, aLedger([aReservation('llm-0-0', 'EVICT', { conditional: true })]));
    const [blocker] = blockersOf(ask(world, 'EVICT', 'llm-0-1'));
    expect(blocker).toMatchObject({ code: 'DisruptionUnproven', available: 2 });
    expect(blocker).not.toHaveProperty('reserved');
  });

  it('[I12] of a plain PodDisruptionBudget, with what the built-in check admitted', () => {
    const owner = set(4);
    const plain = aPdb('db', { app: 'db' }, { minAvailable: 2 });
    const pdbs = [{ ...plain, status: { disruptedPods: { 'db-3': '2026-01-01T00:00:00Z' } } }];
    const world = aWorld({ pods: podsOf('db', 4, owner), owners: [owner], pdbs });
    world.setLedger(ns, aLedger([aReservation('db-2', 'EVICT')]));
    const [blocker] = blockersOf(ask(world, 'EVICT', 'db-0', {}, { judgePlain: true }));
    expect(blocker).toMatchObject({ available: 2, reserved: 2 });
  });
});
