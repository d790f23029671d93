import { describe, expect, it } from 'vitest';
import { ask, aWorld, inShort } from '../../../../test/support/a-world.ts';
import { aGroupPdb, aLedger, anOwner, aPod, ns, type PodBuilder } from '../../../../test/support/builders.ts';
import { maxSizes } from '../../src/api/ledger.ts';
import { defaultSizeLimits, keepSizes, type SmallerSeen } from '../../src/core/ledger/sizes.ts';
import type { OwnerState } from '../../src/core/owner.ts';
import type { World } from '../../src/core/world/world.ts';

const pdb = aGroupPdb('shards', { app: 'db' }, { minAvailable: 2 }, 'shard');

/** Shards of `size` pods each, owned by one StatefulSet per shard. */
const owners = (size: number, shards = 3): readonly OwnerState[] =>
  Array.from({ length: shards }, (_, i) => anOwner('StatefulSet', `db-${i}`, size));

function shards(all: readonly OwnerState[], size: number): PodBuilder[] {
  return all.flatMap((owner, shard) => Array.from({ length: size }, (_, i) => member(owner, shard, i)));
}

const member = (owner: OwnerState, shard: number, i: number): PodBuilder =>
  aPod(`${owner.name}-${i}`)
    .labels({ app: 'db', shard: String(shard) })
    .ownedBy(owner);

/** A leader that looks, and looks again when what it saw has settled. */
function settle(world: World, now = 0): void {
  const state = world.namespace(ns);
  let seen: SmallerSeen = new Map();
  for (const uptime of [0, defaultSizeLimits.settleMs]) {
    if (state === undefined) return;
    const outcome = keepSizes(state, state.ledger ?? aLedger(), { now, uptime, seen });
    seen = outcome.seen;
    if (outcome.ledger !== undefined) world.setLedger(ns, outcome.ledger);
  }
}

const sizes = (world: World): Record<string, number> =>
  Object.fromEntries((world.namespace(ns)?.ledger?.spec?.sizes ?? []).map(({ unit, size }) => [unit, size]));

/** What a process that has just started sees, of the same cluster. */
function restarted(pods: readonly PodBuilder[], all: readonly OwnerState[], before: World): World {
  const world = aWorld({ pods, owners: all, pdbs: [pdb] });
  world.setLedger(ns, before.namespace(ns)?.ledger ?? aLedger());
  return world;
}

describe('the sizes of groups that nothing states', () => {
  const three = owners(3);
  const whole = (): World => {
    const world = aWorld({ pods: shards(three, 3), owners: three, pdbs: [pdb] });
    settle(world);
    return world;
  };
  const evict = (world: World, pod: string) => inShort(ask(world, 'EVICT', pod));

  it('[G5] are what the groups have while their owners have all the pods they want', () => {
    expect(sizes(whole())).toEqual({ 0: 3, 1: 3, 2: 3 });
  });

  it('[G5] [I1] are not forgotten by a restart: a group that misses a pod stays down', () => {
    const world = restarted(shards(three, 3).slice(1), three, whole());
    settle(world);
    expect(sizes(world)).toEqual({ 0: 3, 1: 3, 2: 3 });
    expect(evict(world, 'db-1-0')).toBe('deny BudgetExhausted');
  });

  it('[G5] come back down after a surge', () => {
    const world = whole();
    const [owner = anOwner('StatefulSet', 'none')] = three;
    world.upsertPod(member(owner, 0, 3).build());
    settle(world);
    expect(sizes(world)).toMatchObject({ 0: 3 });
    world.deletePod(ns, 'db-0-0');
    settle(world);
    expect(evict(world, 'db-0-1')).toBe('allow WithinBudget');
  });

  it('[G5] of a surge that was seen first are those of the owner in the end', () => {
    const [owner = anOwner('StatefulSet', 'none')] = three;
    const world = aWorld({ pods: [...shards(three, 3), member(owner, 0, 3)], owners: three, pdbs: [pdb] });
    settle(world);
    expect(sizes(world)).toEqual({ 1: 3, 2: 3 });
    world.deletePod(ns, 'db-0-3');
    settle(world);
    expect(sizes(world)).toEqual({ 0: 3, 1: 3, 2: 3 });
  });

  it('[G5] follow a scale from three to two', () => {
    const world = whole();
    world.setOwner(anOwner('StatefulSet', 'db-0', 2));
    world.deletePod(ns, 'db-0-2');
    expect(evict(world, 'db-1-0')).toBe('deny BudgetExhausted');
    settle(world);
    expect(sizes(world)).toMatchObject({ 0: 2 });
    expect(evict(world, 'db-1-0')).toBe('allow WithinBudget');
  });

  it('[G5] do not shrink at the first sight, for pods and owners come by different watches', () => {
    const world = whole();
    world.setOwner(anOwner('StatefulSet', 'db-0', 2));
    world.deletePod(ns, 'db-0-2');
    const state = world.namespace(ns);
    if (state === undefined) throw new Error('no namespace');
    expect(keepSizes(state, state.ledger ?? aLedger(), { now: 0, uptime: 0 })).not.toHaveProperty('ledger');
  });

  it.each([{ kind: 'one owner' }, { kind: 'no owner' }])(
    '[G5] follow a label that is moved there and back ($kind)',
    ({ kind }) => {
      const owner = anOwner('StatefulSet', 'db', 6);
      const pod = (i: number, shard: number) => {
        const bare = aPod(`db-${i}`).labels({ app: 'db', shard: String(shard) });
        return kind === 'one owner' ? bare.ownedBy(owner) : bare;
      };
      const pods = Array.from({ length: 6 }, (_, i) => pod(i, i % 3));
      const world = aWorld({
        pods,
        owners: [owner],
        pdbs: [aGroupPdb('shards', { app: 'db' }, { minAvailable: 1 }, 'shard')],
      });
      settle(world);
      world.upsertPod(pod(0, 1).build());
      settle(world);
      expect(sizes(world)).toEqual({ 0: 1, 1: 3, 2: 2 });
      world.upsertPod(pod(0, 0).build());
      settle(world);
      expect(sizes(world)).toEqual({ 0: 2, 1: 2, 2: 2 });
      expect(evict(world, 'db-1')).toBe('allow WithinBudget');
    },
  );

  it('[G5] are kept while a pod of the owner has no group: it may be the missing one, not labelled yet', () => {
    const owner = anOwner('StatefulSet', 'db', 4);
    const pods = Array.from({ length: 4 }, (_, i) => member(owner, i % 2, i));
    const world = aWorld({ pods, owners: [owner], pdbs: [pdb] });
    settle(world);
    world.deletePod(ns, 'db-0');
    world.upsertPod(aPod('db-0').uid('second').labels({ app: 'db' }).ownedBy(owner).build());
    settle(world);
    expect(sizes(world)).toEqual({ 0: 2, 1: 2 });
  });

  it('[G5] of bare pods are the largest seen', () => {
    const pods = Array.from({ length: 4 }, (_, i) => aPod(`db-${i}`).labels({ app: 'db', shard: String(i % 2) }));
    const world = aWorld({ pods, pdbs: [pdb] });
    settle(world);
    world.deletePod(ns, 'db-0');
    settle(world);
    expect(sizes(world)).toEqual({ 0: 2, 1: 2 });
  });

  it('[G5] are kept for a day when a group has no pod, and are forgotten then', () => {
    const world = whole();
    for (const i of [0, 1, 2]) world.deletePod(ns, `db-0-${i}`);
    settle(world, 0);
    expect(sizes(world)).toMatchObject({ 0: 3 });
    settle(world, defaultSizeLimits.forgetMs - 1);
    expect(sizes(world)).toMatchObject({ 0: 3 });
    settle(world, defaultSizeLimits.forgetMs);
    expect(sizes(world)).toEqual({ 1: 3, 2: 3 });
  });

  it('[G5] [L3] are bounded, and groups without pods make room first', () => {
    const world = aWorld({ pods: shards(three, 3), owners: three, pdbs: [pdb] });
    const filled = Array.from({ length: maxSizes }, (_, i) => ({
      group: `group-${i}`,
      unit: `g${i}`,
      size: 1,
      emptySince: new Date(i).toISOString(),
    }));
    world.setLedger(ns, { ...aLedger(), spec: { sizes: filled } });
    settle(world, 100_000);
    expect(world.namespace(ns)?.ledger?.spec?.sizes).toHaveLength(maxSizes);
    expect(sizes(world)).toMatchObject({ 0: 3, 1: 3, 2: 3 });
    expect(sizes(world)).not.toHaveProperty('g0');
  });

  it('[G5] are not kept where the budget states the minimum', () => {
    const stated = {
      ...pdb,
      metadata: {
        ...pdb.metadata,
        annotations: { ...pdb.metadata.annotations, 'holdfast.dev/group-min-available': '2' },
      },
    };
    const world = aWorld({ pods: shards(three, 3), owners: three, pdbs: [stated] });
    settle(world);
    expect(sizes(world)).toEqual({});
  });
});
