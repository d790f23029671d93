import { describe, expect, it } from 'vitest';
import { ask, aWorld, blockersOf, inShort, pdbNumbers } from '../../../../test/support/a-world.ts';
import {
  aGroupPdb,
  anOwner,
  aPdb,
  aPod,
  aPodGroup,
  type PodBuilder,
  refTo,
} from '../../../../test/support/builders.ts';
import { table } from '../../../../test/support/table.ts';
import type { StringMap } from '../../../base/src/meta.ts';

const real = (labels: StringMap): PodBuilder => aPod('p').labels({ app: 'x', ...labels });
const ray = (group: string, replica: string, index: string): PodBuilder =>
  real({
    'ray.io/cluster': 'serve',
    'ray.io/group': group,
    'ray.io/worker-group-replica-name': replica,
    'ray.io/worker-group-replica-index': index,
  });
const grove = (gang: string, index: string): PodBuilder =>
  real({ 'grove.io/podgang': gang, 'grove.io/podcliqueset-replica-index': index });

describe('the parent of groups', () => {
  const twice = (make: (i: number) => PodBuilder): readonly PodBuilder[] => [0, 1].map((i) => make(i).named(`p${i}`));
  const set = (name: string) => anOwner('StatefulSet', name, 9);

  it('[G3] is the workload and template that the PodGroup names', () => {
    const world = aWorld({
      pods: twice((i) => real({}).inPodGroup(`g${i}`)),
      podGroups: [
        aPodGroup('g0', 1, 'w', 'prefill'),
        aPodGroup('g1', 1, 'w', 'decode'),
        aPodGroup('g2', 1, 'w', 'decode'),
      ],
      pdbs: [aPdb('b', { app: 'x' }, { minAvailable: 1 })],
    });
    expect(pdbNumbers(world, 'b')).toMatchObject({ expected: 3, source: 'podGroups' });
  });

  it('[G3] is the workload and its pod group', () => {
    const pods = twice((i) =>
      real({}).spec({ workload: { name: 'w', podGroup: i === 0 ? 'prefill' : 'decode', podGroupReplicaIndex: 2 } }),
    );
    const entry = (name: string) => ({ name, policy: { gang: { minCount: 1 } } });
    const workloads = [
      { metadata: { name: 'w', namespace: 'shop' }, spec: { podGroups: [entry('prefill'), entry('decode')] } },
    ];
    const world = aWorld({ pods, workloads, pdbs: [aPdb('b', { app: 'x' }, { minAvailable: 1 })] });
    expect(pdbNumbers(world, 'b')).toMatchObject({ expected: 6, source: 'highestIndex' });
  });

  it('[G3] is the one that the convention names', () => {
    const pods = twice((i) => ray(i === 0 ? 'gpu' : 'cpu', `r${i}`, '2'));
    const world = aWorld({ pods, pdbs: [aGroupPdb('b', { app: 'x' }, { minAvailable: 1 })] });
    expect(pdbNumbers(world, 'b')).toMatchObject({ expected: 6, source: 'highestIndex' });
  });

  table(
    [
      { name: '[G3] is else the root owner of the pods: one owner, one parent', owners: ['s', 's'], want: 3 },
      { name: '[G3] is else the root owner of the pods: two owners, two parents', owners: ['s', 't'], want: 5 },
    ],
    ({ owners, want }) => {
      const pods = twice((i) => grove(`gang-${i}`, String(i + 1)).ownedBy(refTo(set(owners[i] ?? ''))));
      const world = aWorld({
        pods,
        owners: [set('s'), set('t')],
        pdbs: [aGroupPdb('b', { app: 'x' }, { minAvailable: 1 })],
      });
      expect(pdbNumbers(world, 'b')).toMatchObject({ expected: want, source: 'highestIndex' });
    },
  );

  it('[G3] a PodGroup without a workload is a replica of those of the same root owner', () => {
    const pods = twice((i) =>
      real({})
        .inPodGroup(`g${i}`)
        .ownedBy(refTo(set('s'))),
    );
    const podGroups = [aPodGroup('g0', 1), aPodGroup('g1', 1), aPodGroup('elsewhere', 1)];
    const world = aWorld({ pods, podGroups, owners: [set('s')], pdbs: [aPdb('b', { app: 'x' }, { minAvailable: 1 })] });
    expect(pdbNumbers(world, 'b')).toMatchObject({ expected: 2, source: 'seen' });
  });
});

describe('groups by a label of the budget', () => {
  const shard = (name: string, value: string): PodBuilder => aPod(name).labels({ app: 'x', shard: value });
  const pdb = aGroupPdb('b', { app: 'x' }, { minAvailable: 2 }, 'shard');
  const owner = (name: string) => anOwner('StatefulSet', name, 2);

  it('[G4] are a label value within one root owner', () => {
    const pods = [shard('a-0', '0').ownedBy(owner('a')), shard('b-0', '0').ownedBy(owner('b'))];
    const world = aWorld({ pods, owners: [owner('a'), owner('b')], pdbs: [pdb] });
    expect(pdbNumbers(world, 'b')).toMatchObject({ available: 2, expected: 2 });
    expect(blockersOf(ask(world, 'EVICT', 'a-0'))).toMatchObject([{ unit: '0', available: 2, desired: 2 }]);
  });

  it('[G4] [O3] of pods without an owner are shared', () => {
    const world = aWorld({ pods: [shard('p', '0'), shard('q', '0'), shard('r', '1')], pdbs: [pdb] });
    expect(pdbNumbers(world, 'b')).toMatchObject({ available: 2, expected: 2 });
  });

  it('[G4] are used instead of the groups that the pods claim', () => {
    const pods = [0, 1].map((i) => shard(`p${i}`, '0').lws('llm', i, 0, 1));
    const world = aWorld({ pods, owners: [anOwner('LeaderWorkerSet', 'llm')], pdbs: [pdb] });
    expect(pdbNumbers(world, 'b')).toMatchObject({ available: 1, expected: 1 });
  });

  it('[G4] can be made by two budgets with different labels', () => {
    const pods = ['p', 'q'].map((name) => shard(name, '0').labels({ zone: name }));
    const world = aWorld({ pods, pdbs: [pdb, aGroupPdb('z', { app: 'x' }, { minAvailable: 1 }, 'zone')] });
    expect(pdbNumbers(world, 'b')?.available).toBe(1);
    expect(pdbNumbers(world, 'z')?.available).toBe(2);
    world.deletePdb('shop', 'z');
    expect(pdbNumbers(world, 'b')?.available).toBe(1);
    expect(inShort(ask(world, 'EVICT', 'p'))).toBe('deny BudgetExhausted');
  });

  it('[G4] [P5] are none of pods without the label, whatever a program may take its key for', () => {
    const world = aWorld({
      pods: [shard('p', '0')],
      pdbs: [aGroupPdb('b', { app: 'x' }, { minAvailable: 1 }, 'constructor')],
    });
    expect(inShort(ask(world, 'EVICT', 'p'))).toBe('deny GroupNotResolved');
  });

  it('[G4] follow the label of a pod', () => {
    const world = aWorld({ pods: [shard('p', '0'), shard('q', '0')], pdbs: [pdb] });
    world.upsertPod(shard('q', '1').build());
    expect(pdbNumbers(world, 'b')?.expected).toBe(2);
  });
});
