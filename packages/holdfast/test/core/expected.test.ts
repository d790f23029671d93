import { describe, expect, it } from 'vitest';
import { ask, aWorld, blockersOf, inShort, pdbNumbers, pubNumbers } from '../../../../test/support/a-world.ts';
import {
  aDeployment,
  aGroupPdb,
  anOwner,
  aPdb,
  aPod,
  aPub,
  ns,
  type PodBuilder,
  refTo,
} from '../../../../test/support/builders.ts';
import { table } from '../../../../test/support/table.ts';
import type { OwnerState } from '../../src/core/owner.ts';

const app = { app: 'web' };
const selector = { matchLabels: app };
const statefulSet = (name: string, replicas?: number): OwnerState => anOwner('StatefulSet', name, replicas);
const podOf = (owner: OwnerState, i: number): PodBuilder => aPod(`${owner.name}-${i}`).labels(app).ownedBy(owner);
const podsOf = (owner: OwnerState, count: number): readonly PodBuilder[] =>
  Array.from({ length: count }, (_, i) => podOf(owner, i));
/** One pod with a probe makes the budget count pods by itself (P1). */
const perPod = (pods: readonly PodBuilder[]): readonly PodBuilder[] =>
  pods.map((pod, i) => (i === 0 ? pod.probed('True') : pod));

describe('desired units', () => {
  const set = statefulSet('web', 7);
  const pods = podsOf(set, 7);
  interface Row {
    readonly name: string;
    readonly limit: { readonly minAvailable?: number | string; readonly maxUnavailable?: number | string };
    readonly want: number;
  }
  const rows: readonly Row[] = [
    { name: '[N3] minAvailable is its own value', limit: { minAvailable: 3 }, want: 3 },
    { name: '[N3] minAvailable may be more than there should be', limit: { minAvailable: 9 }, want: 9 },
    { name: '[N3] 30% of 7 rounds up to 3', limit: { minAvailable: '30%' }, want: 3 },
    { name: '[N3] 100% of 7 is 7', limit: { minAvailable: '100%' }, want: 7 },
    { name: '[N3] 1% of 7 is 1', limit: { minAvailable: '1%' }, want: 1 },
    { name: '[N3] 0% is 0', limit: { minAvailable: '0%' }, want: 0 },
    { name: '[N3] maxUnavailable is taken from the expected number', limit: { maxUnavailable: 2 }, want: 5 },
    { name: '[N3] 30% of 7 unavailable rounds up to 3', limit: { maxUnavailable: '30%' }, want: 4 },
    { name: '[N3] maxUnavailable 0 wants all', limit: { maxUnavailable: 0 }, want: 7 },
    { name: '[N3] 100% unavailable wants none', limit: { maxUnavailable: '100%' }, want: 0 },
    { name: '[N3] more unavailable than expected wants none, not less', limit: { maxUnavailable: 9 }, want: 0 },
  ];
  table(rows, ({ limit, want }) => {
    const world = aWorld({
      pods: perPod(pods),
      owners: [set],
      pdbs: [aPdb('b', app, limit)],
      pubs: [aPub('b', { selector, ...limit })],
      freshNodes: ['node-1'],
    });
    expect(pdbNumbers(world, 'b')).toMatchObject({ mode: 'perPod', available: 7, desired: want });
    expect(pubNumbers(world, 'b')).toMatchObject({ available: 7, desired: want, expected: 7 });
  });

  table(
    [
      { name: '[N3] of both the larger holds: minAvailable', max: 4, min: 5, want: 5 },
      { name: '[N3] of both the larger holds: maxUnavailable', max: 1, min: 5, want: 6 },
      { name: '[N3] of both the larger holds: percentages', max: '50%', min: '40%', want: 3 },
    ],
    ({ max, min, want }) => {
      const pub = aPub('b', {
        selector,
        maxUnavailable: max,
        minAvailable: min,
        protectTotalReplicas: 7,
        podGroupPolicy: { groupLabelKey: 'shard' },
      });
      expect(pubNumbers(aWorld({ pubs: [pub] }), 'b')?.desired).toBe(want);
    },
  );
});

describe('an expected number that is not known', () => {
  const set = statefulSet('web', 3);
  const limits = [
    { name: 'an integer minAvailable needs none', limit: { minAvailable: 1 }, want: 'allow WithinBudget' },
    { name: 'a percentage does', limit: { minAvailable: '10%' }, want: 'deny ExpectedUnknown' },
    { name: 'maxUnavailable does', limit: { maxUnavailable: 2 }, want: 'deny ExpectedUnknown' },
    { name: 'maxUnavailable 100% does', limit: { maxUnavailable: '100%' }, want: 'deny ExpectedUnknown' },
  ];
  table(
    limits.map((row) => ({ ...row, name: `[N3] [I4] ${row.name} (PDB)` })),
    ({ limit, want }) => {
      const pods = perPod(podsOf(set, 3));
      const world = aWorld({ pods, pdbs: [aPdb('b', app, limit)], freshNodes: ['node-1'] });
      expect(inShort(ask(world, 'EVICT', 'web-1'))).toBe(want);
    },
  );
  table(
    limits.map((row) => ({ ...row, name: `[N3] [I4] ${row.name} (PUB)` })),
    ({ limit, want }) => {
      const world = aWorld({ pods: podsOf(set, 3), pubs: [aPub('b', { selector, ...limit })] });
      expect(inShort(ask(world, 'DELETE', 'web-1'))).toBe(want);
    },
  );

  it('[N3] is not needed for a pod that costs nothing', () => {
    const pods = [0, 1].map((i) => podOf(set, i).labels({ shard: '0' }));
    const policy = { groupLabelKey: 'shard' };
    const world = aWorld({ pods, pubs: [aPub('b', { selector, maxUnavailable: 0, podGroupPolicy: policy })] });
    expect(ask(world, 'DELETE', 'web-0')).toMatchObject({ result: 'allow', charges: [{ effect: 'surplus' }] });
    world.upsertPod(podOf(set, 0).labels({ shard: '1' }).notReady().build());
    expect(ask(world, 'DELETE', 'web-0')).toMatchObject({ result: 'allow', charges: [{ effect: 'down' }] });
    expect(inShort(ask(world, 'DELETE', 'web-1'))).toBe('deny ExpectedUnknown');
  });

  it('[N3] is known from the moment that the owner is looked up', () => {
    const world = aWorld({ pods: podsOf(set, 3), pubs: [aPub('b', { selector, maxUnavailable: 1 })] });
    expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('deny ExpectedUnknown');
    world.setOwner(set);
    expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('allow WithinBudget');
  });
});

describe('expected pods', () => {
  const [web, webNew, webOld] = aDeployment('web', 4, ['new', 'old']) as [OwnerState, OwnerState, OwnerState];
  const api = statefulSet('api', 3);
  const daemon = anOwner('DaemonSet', 'log');
  const rollout = anOwner('Rollout', 'roll');
  const rolledSet = anOwner('ReplicaSet', 'roll-a', 5, { controller: refTo(rollout) });
  const bareSet = anOwner('ReplicaSet', 'bare', 2);
  interface Row {
    readonly name: string;
    readonly pods: readonly PodBuilder[];
    readonly owners: readonly OwnerState[];
    readonly want: number | undefined;
  }
  const rows: readonly Row[] = [
    { name: '[P7] are the scale of their controller', pods: podsOf(api, 2), owners: [api], want: 3 },
    {
      name: '[P7] are the sum over several controllers',
      pods: [...podsOf(api, 2), ...podsOf(bareSet, 1)],
      owners: [api, bareSet],
      want: 5,
    },
    {
      name: '[P7] [O2] are the Deployment’s in place of the ReplicaSet’s',
      pods: podsOf(webNew, 1),
      owners: [web, webNew],
      want: 4,
    },
    {
      name: '[P7] [O2] count a Deployment once during a rollout',
      pods: [...podsOf(webNew, 2), ...podsOf(webOld, 2)],
      owners: [web, webNew, webOld],
      want: 4,
    },
    {
      name: '[P7] [O2] are the ReplicaSet’s when its controller has no scale',
      pods: podsOf(rolledSet, 1),
      owners: [rollout, rolledSet],
      want: 5,
    },
    {
      name: '[P7] [O2] are those of another controller with a scale',
      pods: podsOf(rolledSet, 1),
      owners: [{ ...rollout, replicas: 6 }, rolledSet],
      want: 6,
    },
    {
      name: '[P7] [O2] are unknown while the ReplicaSet’s controller was not looked up',
      pods: podsOf(webNew, 1),
      owners: [webNew],
      want: undefined,
    },
    {
      name: '[P7] are unknown while a controller was not looked up',
      pods: [...podsOf(api, 1), ...podsOf(bareSet, 1)],
      owners: [api],
      want: undefined,
    },
    {
      name: '[P7] are unknown when a controller has no scale',
      pods: [...podsOf(api, 1), ...podsOf(daemon, 1)],
      owners: [api, daemon],
      want: undefined,
    },
    {
      name: '[P7] skip pods without a controller',
      pods: [...podsOf(api, 1), aPod('bare').labels(app)],
      owners: [api],
      want: 3,
    },
    {
      name: '[P7] count controllers whose pods are all terminating',
      pods: [podOf(api, 0), podOf(bareSet, 0).terminating()],
      owners: [api, bareSet],
      want: 5,
    },
    {
      name: '[P7] do not ask who owns the controller, but for a ReplicaSet',
      pods: podsOf({ ...api, controller: refTo(rollout) }, 1),
      owners: [{ ...api, controller: refTo(rollout) }],
      want: 3,
    },
  ];
  table(rows, ({ pods, owners, want }) => {
    const world = aWorld({ pods: perPod(pods), owners, pdbs: [aPdb('b', app, { maxUnavailable: 1 })] });
    expect(pdbNumbers(world, 'b')?.mode).toBe('perPod');
    expect(pdbNumbers(world, 'b')?.expected).toBe(want);
  });

  it('[P7] follow the scale, and the pods', () => {
    const world = aWorld({
      pods: perPod(podsOf(api, 1)),
      owners: [api, bareSet],
      pdbs: [aPdb('b', app, { maxUnavailable: 1 })],
    });
    const seen = [pdbNumbers(world, 'b')?.expected];
    const step = (change: () => void): void => {
      change();
      seen.push(pdbNumbers(world, 'b')?.expected);
    };
    step(() => world.setOwner({ ...api, replicas: 5 }));
    step(() => world.upsertPod(podOf(bareSet, 0).build()));
    step(() => world.deletePod(ns, 'bare-0'));
    step(() => world.upsertPod(podOf(bareSet, 0).terminating().build()));
    expect(seen).toEqual([3, 5, 7, 5, 7]);
  });

  it('[P7] [X4] of a workload that is scaled to nothing are none, and its pods are free', () => {
    const world = aWorld({
      pods: perPod([...podsOf(api, 1), ...podsOf(bareSet, 2)]),
      owners: [api, bareSet],
      pdbs: [aPdb('b', app, { minAvailable: '100%' })],
      freshNodes: ['node-1'],
    });
    world.setOwner({ ...bareSet, replicas: 0 });
    expect(pdbNumbers(world, 'b')).toMatchObject({ expected: 3, available: 1 });
    expect(inShort(ask(world, 'EVICT', 'bare-1'))).toBe('allow WorkloadGone');
    expect(inShort(ask(world, 'EVICT', 'api-0'))).toBe('deny BudgetExhausted');
  });
});

describe('missing members', () => {
  it('[I11] a pod that is not created again yet is unavailable (PDB per pod)', () => {
    const set = statefulSet('web', 3);
    const world = aWorld({
      pods: perPod(podsOf(set, 3)),
      owners: [set],
      pdbs: [aPdb('b', app, { maxUnavailable: 1 })],
      freshNodes: ['node-1'],
    });
    expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('allow WithinBudget');
    world.deletePod(ns, 'web-2');
    expect(blockersOf(ask(world, 'EVICT', 'web-0'))).toMatchObject([{ available: 2, desired: 2, expected: 3 }]);
  });

  it('[I11] [U3] a pod that is not created again yet is unavailable (PUB)', () => {
    const set = statefulSet('web', 3);
    const world = aWorld({ pods: podsOf(set, 3), owners: [set], pubs: [aPub('b', { selector, maxUnavailable: 1 })] });
    world.deletePod(ns, 'web-2');
    expect(blockersOf(ask(world, 'DELETE', 'web-0'))).toMatchObject([{ available: 2, desired: 2, expected: 3 }]);
    world.upsertPod(podOf(set, 2).uid('uid-new').notReady().build());
    expect(inShort(ask(world, 'DELETE', 'web-0'))).toBe('deny BudgetExhausted');
    world.upsertPod(podOf(set, 2).uid('uid-new').build());
    expect(inShort(ask(world, 'DELETE', 'web-0'))).toBe('allow WithinBudget');
  });

  const lwsWorld = () => {
    const pods = [0, 1, 2].flatMap((group) =>
      [0, 1].map((worker) => aPod(`llm-${group}-${worker}`).labels(app).lws('llm', group, worker, 2)),
    );
    return aWorld({
      pods,
      owners: [anOwner('LeaderWorkerSet', 'llm', 3)],
      pdbs: [aGroupPdb('b', app, { maxUnavailable: 1 })],
      pubs: [
        aPub('b', {
          selector,
          maxUnavailable: 1,
          podGroupPolicy: { groupLabelKey: 'leaderworkerset.sigs.k8s.io/group-index', minReadyReplicas: 2 },
        }),
      ],
    });
  };

  it('[I11] [P6] a group whose pods are all gone is unavailable', () => {
    const world = lwsWorld();
    for (const worker of [0, 1]) world.deletePod(ns, `llm-2-${worker}`);
    expect(pdbNumbers(world, 'b')).toMatchObject({ available: 2, desired: 2, expected: 3, source: 'scale' });
    expect(pubNumbers(world, 'b')).toMatchObject({ available: 2, desired: 2, expected: 3, source: 'scale' });
    expect(inShort(ask(world, 'EVICT', 'llm-0-0'))).toBe('deny BudgetExhausted,BudgetExhausted');
  });

  it('[I11] [G5] a group that lacks one pod of its stated size is unavailable', () => {
    const world = lwsWorld();
    world.deletePod(ns, 'llm-2-1');
    expect(pdbNumbers(world, 'b')?.available).toBe(2);
    expect(pubNumbers(world, 'b')?.available).toBe(2);
    expect(inShort(ask(world, 'EVICT', 'llm-0-0'))).toBe('deny BudgetExhausted,BudgetExhausted');
  });

  it('[I11] [X4] nothing is missing when the workload is scaled to nothing', () => {
    const world = lwsWorld();
    world.setOwner(anOwner('LeaderWorkerSet', 'llm', 0));
    expect(pdbNumbers(world, 'b')).toMatchObject({ available: 0, desired: 0, expected: 0 });
    expect(inShort(ask(world, 'EVICT', 'llm-0-0'))).toBe('allow WorkloadGone');
  });
});
