import { describe, expect, it } from 'vitest';
import { aWorld, pdbNumbers } from '../../../../test/support/a-world.ts';
import { aGroupPdb, aPdb, aPod, aPodGroup, ns, type PodBuilder } from '../../../../test/support/builders.ts';
import { table } from '../../../../test/support/table.ts';
import { annotation } from '../../src/api/names.ts';
import type { PodDisruptionBudget } from '../../src/api/pdb.ts';
import type { PodGroup } from '../../src/api/workload.ts';
import type { World } from '../../src/core/world/world.ts';

const app = { app: 'x' };
const grouped = aGroupPdb('b', app, { minAvailable: 1 });
const withMinimum = (minimum: string, groupLabel?: string): PodDisruptionBudget =>
  aPdb(
    'b',
    app,
    { minAvailable: 1 },
    {
      [annotation.budgetScope]: 'PodGroup',
      [annotation.groupMinAvailable]: minimum,
      ...(groupLabel === undefined ? {} : { [annotation.groupLabel]: groupLabel }),
    },
  );

const kueue = (name: string): PodBuilder => aPod(name).labels({ ...app, 'kueue.x-k8s.io/pod-group-name': 'g' });
const many = (count: number, make: (name: string) => PodBuilder): readonly PodBuilder[] =>
  Array.from({ length: count }, (_, i) => make(`p${i}`));

/** How many healthy pods the one group of the world needs: pods are broken one by one until it is down. */
function minimumOf(world: World, pods: readonly PodBuilder[]): number | 'more' {
  const available = () => pdbNumbers(world, 'b')?.available;
  if (available() === 0) return 'more';
  for (const [i, pod] of pods.entries()) {
    world.upsertPod(pod.notReady().build());
    if (available() === 0) return pods.length - i;
  }
  return 0;
}

describe('the minimum of a group in a PDB', () => {
  interface Row {
    readonly name: string;
    readonly pods: readonly PodBuilder[];
    readonly pdb?: PodDisruptionBudget;
    readonly podGroup?: PodGroup;
    readonly want: number | 'more';
  }
  const gang = (name: string): PodBuilder => aPod(name).labels(app).inPodGroup('g');
  const lws = (name: string): PodBuilder => aPod(name).labels(app).lws('llm', 0, 0, 3);
  const volcano = (name: string): PodBuilder =>
    aPod(name)
      .labels(app)
      .annotate({ 'scheduling.k8s.io/group-name': 'g', 'scheduling.volcano.sh/group-min-member': '2' });
  const shard = (name: string): PodBuilder => aPod(name).labels({ ...app, shard: '0' });
  const all = (minCount?: number): PodGroup => ({
    ...aPodGroup('g', minCount),
    spec: {
      schedulingPolicy: minCount === undefined ? { basic: {} } : { gang: { minCount } },
      disruptionMode: { all: {} },
    },
  });
  const rows: readonly Row[] = [
    { name: '[G5] is the number that the budget states', pods: many(4, kueue), pdb: withMinimum('2'), want: 2 },
    {
      name: '[G5] is the budget’s number rather than the gang’s',
      pods: many(4, gang),
      pdb: withMinimum('1'),
      podGroup: aPodGroup('g', 3),
      want: 1,
    },
    {
      name: '[G5] is the budget’s number rather than the stated size',
      pods: many(3, lws),
      pdb: withMinimum('1'),
      want: 1,
    },
    {
      name: '[G5] is the budget’s number, also when it is more than there are',
      pods: many(2, kueue),
      pdb: withMinimum('3'),
      want: 'more',
    },
    {
      name: '[G5] is the budget’s number in a group by label',
      pods: many(4, shard),
      pdb: withMinimum('3', 'shard'),
      want: 3,
    },
    { name: '[G5] is the stated size with all', pods: many(3, lws), pdb: withMinimum('all'), want: 3 },
    {
      name: '[G5] is the full size with all, although the gang is content with less',
      pods: many(4, gang),
      pdb: withMinimum('all'),
      podGroup: aPodGroup('g', 2),
      want: 4,
    },
    {
      name: '[G5] is at least the gang’s minimum with all',
      pods: many(2, gang),
      pdb: withMinimum('all'),
      podGroup: aPodGroup('g', 3),
      want: 'more',
    },
    { name: '[G5] is the gang’s minCount', pods: many(4, gang), podGroup: aPodGroup('g', 3), want: 3 },
    {
      name: '[G5] is the gang’s minCount in automatic scope',
      pods: many(4, gang),
      pdb: aPdb('b', app, { minAvailable: 1 }),
      podGroup: aPodGroup('g', 2),
      want: 2,
    },
    { name: '[G5] is the minimum that the convention states', pods: many(4, volcano), want: 2 },
    { name: '[G5] is the full size with disruptionMode all', pods: many(4, gang), podGroup: all(2), want: 4 },
    {
      name: '[G5] is the full size with disruptionMode all and no minCount',
      pods: many(3, gang),
      podGroup: all(),
      want: 3,
    },
    { name: '[G5] is at least minCount with disruptionMode all', pods: many(2, gang), podGroup: all(3), want: 'more' },
    {
      name: '[G5] is the budget’s number rather than disruptionMode all',
      pods: many(3, gang),
      pdb: withMinimum('2'),
      podGroup: all(3),
      want: 2,
    },
    { name: '[G5] is else the stated size', pods: many(3, lws), want: 3 },
    { name: '[G5] is the stated size, although fewer pods exist', pods: many(2, lws), want: 'more' },
    { name: '[G5] is the stated size, although more pods exist', pods: many(4, lws), want: 3 },
    { name: '[G5] is else the largest number seen', pods: many(3, kueue), want: 3 },
    {
      name: '[G5] is else the largest number seen, in a group by label',
      pods: many(3, shard),
      pdb: aGroupPdb('b', app, { minAvailable: 1 }, 'shard'),
      want: 3,
    },
    { name: '[G5] is that of one pod for one pod', pods: many(1, kueue), want: 1 },
    { name: '[G5] sees no terminating pods', pods: [...many(3, kueue), kueue('old').terminating()], want: 3 },
    {
      name: '[G5] sees no finished pods',
      pods: [...many(3, kueue), kueue('done').phase('Succeeded'), kueue('lost').phase('Failed')],
      want: 3,
    },
    {
      name: '[G5] sees pending and unready pods',
      pods: [...many(2, kueue), kueue('new').phase('Pending').notReady()],
      want: 'more',
    },
  ];
  table(rows, ({ pods, pdb = grouped, podGroup, want }) => {
    const world = aWorld({ pods, podGroups: podGroup === undefined ? [] : [podGroup], pdbs: [pdb] });
    const healthy = pods.filter(
      (pod) => pod.build().metadata.deletionTimestamp === undefined && pod.build().status?.phase === 'Running',
    );
    expect(minimumOf(world, healthy)).toBe(want);
  });
});

describe('the largest number of live pods seen', () => {
  const world = (pods: readonly PodBuilder[]) => aWorld({ pods, pdbs: [grouped] });

  it('[G5] grows with the group, and does not shrink with it', () => {
    const growing = world(many(2, kueue));
    growing.upsertPod(kueue('p2').build());
    growing.deletePod(ns, 'p2');
    expect(pdbNumbers(growing, 'b')?.available).toBe(0);
    growing.upsertPod(kueue('p2').uid('again').build());
    expect(minimumOf(growing, many(3, kueue))).toBe(3);
  });

  it('[G5] is not inflated by a replacement that comes while the old pod is terminating', () => {
    const rolling = world(many(3, kueue));
    for (const name of ['p0', 'p1', 'p2']) {
      rolling.upsertPod(kueue(name).terminating().build());
      rolling.upsertPod(kueue(`${name}-new`).build());
    }
    expect(pdbNumbers(rolling, 'b')?.available).toBe(1);
    for (const name of ['p0', 'p1', 'p2']) rolling.deletePod(ns, name);
    expect(minimumOf(rolling, ['p0-new', 'p1-new', 'p2-new'].map(kueue))).toBe(3);
  });

  it('[G5] is not inflated by pods that change in other ways', () => {
    const changing = world(many(2, kueue));
    for (let i = 0; i < 4; i += 1) {
      changing.upsertPod(
        kueue('p0')
          .labels({ version: String(i) })
          .build(),
      );
      changing.upsertPod(kueue('p1').uid(`uid-${i}`).build());
    }
    expect(minimumOf(changing, many(2, kueue))).toBe(2);
  });

  it('[G5] is remembered while a terminating pod is left, and forgotten with the last one', () => {
    const leaving = world(many(3, kueue));
    for (const name of ['p0', 'p1']) leaving.deletePod(ns, name);
    leaving.upsertPod(kueue('p2').terminating().build());
    leaving.upsertPod(kueue('q0').build());
    expect(pdbNumbers(leaving, 'b')?.available).toBe(0);
    for (const name of ['p2', 'q0']) leaving.deletePod(ns, name);
    expect(pdbNumbers(leaving, 'b')).toMatchObject({ available: 0, expected: 0 });
    leaving.upsertPod(kueue('q0').build());
    expect(minimumOf(leaving, [kueue('q0')])).toBe(1);
  });

  it('[G5] is that of each group alone', () => {
    const two = world([...many(3, kueue), kueue('q').labels({ 'kueue.x-k8s.io/pod-group-name': 'h' })]);
    expect(pdbNumbers(two, 'b')?.available).toBe(2);
    two.deletePod(ns, 'p0');
    expect(pdbNumbers(two, 'b')?.available).toBe(1);
  });

  it('[G5] is seen also while no budget looks', () => {
    const early = aWorld({ pods: many(3, kueue) });
    early.deletePod(ns, 'p0');
    early.upsertPdb(grouped);
    expect(pdbNumbers(early, 'b')?.available).toBe(0);
  });

  const byShard = (minAvailable: number) => aGroupPdb('b', app, { minAvailable }, 'shard');
  const shard = (name: string): PodBuilder => aPod(name).labels({ ...app, shard: '0' });

  it('[G5] is not forgotten when the budget is edited', () => {
    const edited = aWorld({ pods: many(3, shard), pdbs: [byShard(1)] });
    edited.deletePod(ns, 'p0');
    expect(pdbNumbers(edited, 'b')?.available).toBe(0);
    edited.upsertPdb(byShard(2));
    expect(pdbNumbers(edited, 'b')?.available).toBe(0);
  });

  it('[G5] is not forgotten while another budget groups by the same label', () => {
    const shared = aWorld({
      pods: many(3, shard),
      pdbs: [byShard(1), aGroupPdb('other', app, { minAvailable: 1 }, 'shard')],
    });
    shared.deletePod(ns, 'p0');
    shared.upsertPdb(byShard(2));
    expect(pdbNumbers(shared, 'b')?.available).toBe(0);
  });
});
