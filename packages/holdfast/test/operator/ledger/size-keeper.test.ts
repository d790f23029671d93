import { describe, expect, it } from 'vitest';
import { ask, aWorld, inShort } from '../../../../../test/support/a-world.ts';
import { aGroupPdb, anOwner, aPod, ns } from '../../../../../test/support/builders.ts';
import type { World } from '../../../src/core/world/world.ts';
import { LedgerAccess } from '../../../src/operator/admission/ledger.ts';
import { NamespaceMutex } from '../../../src/operator/admission/reserve.ts';
import { defaultSizeKeeperLimits, SizeKeeper } from '../../../src/operator/ledger/size-keeper.ts';
import { TestClock } from '../../kube/support/test-clock.ts';
import { type Backend, FakeLedgers } from './support/fake-ledgers.ts';

const owners = [0, 1, 2].map((shard) => anOwner('StatefulSet', `db-${shard}`, 2));
const pdb = aGroupPdb('db', { app: 'db' }, { minAvailable: 2 }, 'shard');
const member = (shard: number, i: number) =>
  aPod(`db-${shard}-${i}`)
    .labels({ app: 'db', shard: String(shard) })
    .ownedBy(owners[shard] ?? anOwner('StatefulSet', 'none'));
const all = [0, 1, 2].flatMap((shard) => [member(shard, 0), member(shard, 1)]);

/** A process of the operator that leads, over a store that outlives it. */
function aLeader(pods: typeof all, backend: Backend, clock = new TestClock()) {
  const world: World = aWorld({ pods, owners, pdbs: [pdb] });
  const state = world.namespace(ns);
  if (state !== undefined) state.ledger = undefined;
  const store = new FakeLedgers(backend, clock, () => 1);
  const access = new LedgerAccess({ world, store, clock, events: {}, callMs: 1_000 });
  const mutex = new NamespaceMutex((_, error) => {
    throw error;
  });
  const keeper = new SizeKeeper({ world, access, mutex, clock, limits: defaultSizeKeeperLimits });
  keeper.lead();
  return { world, store, access, keeper, clock };
}

describe('the keeper of group sizes', () => {
  const nothing = (): Backend => ({ ledger: undefined, ledgerVersion: 10 });

  it('[G5] creates the ledger that keeps them, and writes no more while nothing changes', async () => {
    const backend = nothing();
    const { clock, store, keeper } = aLeader(all, backend);
    await clock.advance(2_000);
    expect(backend.ledger?.spec?.sizes?.map(({ unit, size }) => `${unit}: ${size}`).sort()).toEqual([
      '0: 2',
      '1: 2',
      '2: 2',
    ]);
    keeper.namespace(ns);
    await clock.advance(60_000);
    expect(store.calls).toEqual(['read', 'create']);
  });

  it('[G5] [I1] leaves them to the next process: a second group is refused while the first misses a pod', async () => {
    const backend = nothing();
    const first = aLeader(all, backend);
    await first.clock.advance(2_000);
    first.keeper.resign();
    const second = aLeader(all.slice(1), backend);
    void second.access.read(ns);
    await second.clock.advance(20_000);
    expect(inShort(ask(second.world, 'EVICT', 'db-1-0'))).toBe('deny BudgetExhausted');
    expect(inShort(ask(second.world, 'EVICT', 'db-0-1'))).toBe('allow WithinBudget');
  });

  it('[G5] keeps a smaller size when it was seen for a while', async () => {
    const backend = nothing();
    const { clock, world, keeper } = aLeader(all, backend);
    await clock.advance(2_000);
    world.setOwner(anOwner('StatefulSet', 'db-0', 1));
    world.deletePod(ns, 'db-0-1');
    keeper.namespace(ns);
    await clock.advance(10_000);
    expect(backend.ledger?.spec?.sizes?.find(({ unit }) => unit === '0')?.size).toBe(1);
  });

  it('[G5] keeps what is reserved, and tries again after a lost race', async () => {
    const backend = nothing();
    const { clock, store } = aLeader(all, backend);
    store.faults.push(undefined, 'dropped');
    await clock.advance(5_000);
    expect(backend.ledger?.spec?.sizes).toHaveLength(3);
    expect(backend.ledger?.spec?.reservations).toEqual([]);
  });
});
