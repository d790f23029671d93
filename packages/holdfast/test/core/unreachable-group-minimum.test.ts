import { describe, expect, it } from 'vitest';
import { ask, aWorld, inShort, pdbNumbers } from '../../../../test/support/a-world.ts';
import { aDeployment, anOwner, aPdb, aPod, ns, type PodBuilder, refTo } from '../../../../test/support/builders.ts';
import { lwsPods } from '../../../../test/support/fleet.ts';
import type { PodDisruptionBudget } from '../../src/api/pdb.ts';
import { pdbReport } from '../../src/core/status/pdb-condition.ts';
import type { World } from '../../src/core/world/world.ts';

/** Two groups are needed, with so many pods each; pods of groups that are down may always go. */
function pdb(app: string, minimum: number, labelKey?: string): PodDisruptionBudget {
  const budget = aPdb(
    app,
    { app },
    { minAvailable: 2 },
    {
      'holdfast.dev/budget-scope': 'PodGroup',
      'holdfast.dev/group-min-available': String(minimum),
      ...(labelKey === undefined ? {} : { 'holdfast.dev/group-label': labelKey }),
    },
  );
  return { ...budget, spec: { ...budget.spec, unhealthyPodEvictionPolicy: 'AlwaysAllow' } };
}

/** Three groups of three, by a label that says nothing of sizes. */
const labelled = (own = (pod: PodBuilder): PodBuilder => pod): PodBuilder[] =>
  Array.from({ length: 9 }, (_, i) => own(aPod(`db-${i}`).labels({ app: 'db', shard: String(Math.floor(i / 3)) })));

const set = (replicas?: number) => anOwner('StatefulSet', 'db', replicas);
const ofSet = () => labelled((pod) => pod.ownedBy(set()));

const byLabel = (pods: readonly PodBuilder[], minimum: number, owners = [set(9)]): World =>
  aWorld({ pods, owners, pdbs: [pdb('db', minimum, 'shard')] });

/** Three groups of a LeaderWorkerSet, whose pods state that a group has three. */
const bySize = (minimum: number, pods = lwsPods('llm', 3, 3)): World =>
  aWorld({ pods, owners: [anOwner('LeaderWorkerSet', 'llm', 3)], pdbs: [pdb('llm', minimum)] });

const warnings = (world: World, name: string) => pdbReport(world, ns, name, { kind: 'on' }, 0)?.warnings ?? [];

describe('a group-min-available that no group can reach', () => {
  it('[G5] counts as the size that the pods state: one group may go, and no other', () => {
    const world = bySize(4);
    expect(pdbNumbers(world, 'llm')).toMatchObject({ available: 3, desired: 2 });
    expect(ask(world, 'EVICT', 'llm-0-0')).toMatchObject({ result: 'allow', charges: [{ effect: 'breaks' }] });
    world.upsertPod(lwsPods('llm', 1, 3)[0]?.notReady().build() ?? aPod('none').build());
    expect(inShort(ask(world, 'EVICT', 'llm-1-0'))).toBe('deny BudgetExhausted');
    expect(ask(world, 'EVICT', 'llm-0-1')).toMatchObject({ result: 'allow', charges: [{ effect: 'down' }] });
  });

  it('[G5] [I11] counts a group with a missing member as down, also when all groups lack one', () => {
    const world = bySize(
      4,
      lwsPods('llm', 3, 3).filter((pod) => !pod.build().metadata.name.endsWith('-2')),
    );
    expect(pdbNumbers(world, 'llm')).toMatchObject({ available: 0, desired: 2 });
  });

  it('[G5] [S2] is told to the author of the budget', () => {
    expect(warnings(bySize(4), 'llm')).toContainEqual({
      code: 'UnreachableGroupMinimum',
      message: expect.stringContaining('group-min-available is 4, and the largest of 3 groups has 3 pods'),
    });
    expect(warnings(bySize(3), 'llm')).not.toContainEqual(expect.objectContaining({ code: 'UnreachableGroupMinimum' }));
    expect(warnings(byLabel(labelled(), 5, []), 'db')).toContainEqual({
      code: 'UnreachableGroupMinimum',
      message: expect.stringContaining('refused'),
    });
  });

  it('[G5] without a stated size: a group is whole when its owner has all the pods that it wants', () => {
    const world = byLabel(ofSet(), 5);
    expect(pdbNumbers(world, 'db')).toMatchObject({ available: 3, desired: 2 });
    expect(ask(world, 'EVICT', 'db-0')).toMatchObject({ result: 'allow', charges: [{ effect: 'breaks' }] });
  });

  it('[G5] of the pods of a Deployment, too', () => {
    const [deployment = set(), replicaSet = set()] = aDeployment('db', 9);
    const pods = labelled((pod) => pod.ownedBy(replicaSet));
    const world = byLabel(pods, 5, [deployment, replicaSet]);
    expect(pdbNumbers(world, 'db')).toMatchObject({ available: 3, desired: 2 });
  });

  it('[G5] [I11] without a stated size: no group is known to be whole while its owner lacks pods', () => {
    const world = byLabel(ofSet().slice(1), 5);
    expect(pdbNumbers(world, 'db')).toMatchObject({ available: 0 });
    expect(inShort(ask(world, 'EVICT', 'db-4'))).toBe('deny GroupSizeUnknown');
    expect(inShort(ask(world, 'EVICT', 'db-1'))).toBe('deny GroupSizeUnknown');
    for (const pod of ofSet().slice(0, 1)) world.upsertPod(pod.notReady().build());
    expect(pdbNumbers(world, 'db')).toMatchObject({ available: 2 });
    expect(ask(world, 'EVICT', 'db-1')).toMatchObject({ result: 'allow', charges: [{ effect: 'down' }] });
    expect(inShort(ask(world, 'EVICT', 'db-4'))).toBe('deny BudgetExhausted');
  });

  it('[G5] without a stated size: pods of the owner that are in no group are not there', () => {
    const [first = aPod('none'), ...others] = ofSet();
    const unlabelled = aPod(first.build().metadata.name).labels({ app: 'other' }).ownedBy(set());
    const world = byLabel([unlabelled, ...others], 5);
    expect(inShort(ask(world, 'EVICT', 'db-4'))).toBe('deny GroupSizeUnknown');
  });

  it('[G5] without a stated size: follows the scale of the owner', () => {
    const world = byLabel(ofSet(), 5);
    world.setOwner(set(12));
    expect(pdbNumbers(world, 'db')).toMatchObject({ available: 0 });
    world.setOwner(set(9));
    expect(pdbNumbers(world, 'db')).toMatchObject({ available: 3 });
  });

  it.each([
    { who: 'no owner', own: (pod: PodBuilder) => pod, owners: [] },
    {
      who: 'an owner that was not looked up',
      own: (pod: PodBuilder) => pod.ownedBy(set()),
      owners: [],
    },
    {
      who: 'an owner without a scale',
      own: (pod: PodBuilder) => pod.ownedBy(anOwner('Rack', 'db')),
      owners: [anOwner('Rack', 'db')],
    },
    {
      who: 'an owner of owners, whose scale counts them',
      own: (pod: PodBuilder) => pod.ownedBy(anOwner('Part', 'db-a')),
      owners: [anOwner('Part', 'db-a', 9, { controller: refTo(anOwner('Rack', 'db')) }), anOwner('Rack', 'db', 1)],
    },
    {
      who: 'a LeaderWorkerSet, whose scale counts groups',
      own: (pod: PodBuilder) => pod.ownedBy(anOwner('LeaderWorkerSet', 'db')),
      owners: [anOwner('LeaderWorkerSet', 'db', 3)],
    },
  ])('[G5] [I4] where nothing says how many pods there should be, pods that serve are refused ($who)', (one) => {
    const world = byLabel(labelled(one.own), 5, one.owners);
    expect(pdbNumbers(world, 'db')).toMatchObject({ available: 0 });
    expect(inShort(ask(world, 'EVICT', 'db-4'))).toBe('deny GroupSizeUnknown');
    for (const pod of labelled(one.own).slice(0, 1)) world.upsertPod(pod.notReady().build());
    expect(ask(world, 'EVICT', 'db-0')).toMatchObject({ result: 'allow', charges: [{ effect: 'down' }] });
  });

  it('[G5] [I11] that one group reaches is no mistake: the others miss members', () => {
    const world = byLabel(ofSet().slice(1), 3);
    expect(pdbNumbers(world, 'db')).toMatchObject({ available: 2 });
    expect(ask(world, 'EVICT', 'db-1')).toMatchObject({ result: 'allow', charges: [{ effect: 'down' }] });
    for (const name of ['db-3', 'db-6']) world.deletePod(ns, name);
    expect(inShort(ask(world, 'EVICT', 'db-1'))).toBe('deny GroupSizeUnknown');
  });

  it('[G5] is no longer reached when the group that reached it leaves the budget', () => {
    const large = Array.from({ length: 5 }, (_, i) => aPod(`big-${i}`).labels({ app: 'db', shard: 'big' }));
    const world = byLabel([...ofSet(), ...large], 5);
    expect(pdbNumbers(world, 'db')).toMatchObject({ available: 1 });
    for (const pod of large) world.upsertPod(pod.labels({ app: 'other' }).build());
    expect(pdbNumbers(world, 'db')).toMatchObject({ available: 3 });
  });

  it('[G5] [O5] names the owners that the answer depends on', () => {
    const world = byLabel(ofSet(), 5);
    ask(world, 'EVICT', 'db-0');
    expect([...(world.namespace(ns)?.pdbs.get('db')?.countedBy() ?? [])].map(({ name }) => name)).toContain('db');
  });
});
