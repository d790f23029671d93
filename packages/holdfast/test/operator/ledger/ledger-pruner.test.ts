import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../../test/support/a-world.ts';
import { aLedger, aPod, aReservation, ns } from '../../../../../test/support/builders.ts';
import { podsOf, pubFor } from '../../../../../test/support/fleet.ts';
import type { Reservation } from '../../../src/api/ledger.ts';
import type { World } from '../../../src/core/world/world.ts';
import { aBench, type Bench } from './support/bench.ts';

/** The virtual clock begins here. */
const time = '2026-01-01T00:00:00.000Z';

function pruning(reservations: readonly Reservation[]): Bench {
  const ledger = aLedger(reservations, undefined, '90');
  const world = aWorld({ pods: podsOf('web', 4), pubs: [pubFor('web', { minAvailable: 2 })] });
  world.setLedger(ns, ledger);
  return aBench({ world, stored: ledger });
}

const evicted = (pod: string): Reservation => aReservation(pod, 'EVICT', { time });

function see(world: World, version: string, ...gone: readonly string[]): void {
  for (const pod of gone) world.upsertPod(aPod(pod).labels({ app: 'web' }).terminating().build());
  world.setSynced('pods', version);
}

describe('the pruner', () => {
  it('[I9] releases what was seen to go, several with one write, and leaves the watermark', async () => {
    const bench = pruning([evicted('web-0'), evicted('web-1'), evicted('web-2')]);
    bench.pruner.lead();
    see(bench.world, '120', 'web-0');
    bench.pruner.touch(ns);
    see(bench.world, '121', 'web-1');
    bench.pruner.touch(ns);
    await bench.clock.advance(200);
    expect(bench.reserved()).toEqual(['web-2']);
    expect(bench.backend.ledger?.spec?.watermark).toBe('121');
    expect(bench.store.calls).toEqual(['replace']);
    expect(bench.reports).toEqual(['prune stored 10 ms', 'released web-0: terminating', 'released web-1: terminating']);
  });

  describe('while requests write the ledger', () => {
    const waiting = () => aWorld({ pods: podsOf('web', 200), pubs: [pubFor('web', { minAvailable: 1 })] });
    const evict = (pod: string) => ({ operation: 'EVICT', namespace: ns, pod }) as const;

    it('[I9] leaves what was seen to go to their writes, and comes when they are over', async () => {
      const bench = aBench({ world: waiting() });
      bench.pruner.lead();
      for (let i = 0; i < 20; i += 1) {
        await bench.ask(evict(`web-${i}`));
        see(bench.world, String(2_000 + i), `web-${i}`);
        bench.pruner.touch(ns);
        await bench.clock.advance(40);
      }
      expect(bench.reports.filter((line) => line.startsWith('prune'))).toEqual([]);
      expect(bench.reserved()).toEqual(['web-19']);
      await bench.clock.advance(150);
      expect(bench.reserved()).toEqual([]);
      expect(bench.reports.filter((line) => line.startsWith('released'))).toHaveLength(20);
    });

    it('[L4] does not wait for them longer than a recheck: time goes on for what never happened', async () => {
      const bench = aBench({ world: waiting(), prunerLimits: { recheckMs: 1_000 } });
      bench.pruner.lead();
      await bench.ask(evict('web-0'));
      const overdue = () =>
        bench.backend.ledger?.spec?.reservations?.find(({ pod }) => pod === 'web-0')?.overdue?.phase;
      // Requests that never end, of which only the first was lost.
      for (let i = 0; i < 2_500 && overdue() === undefined; i += 1) {
        const pod = `web-${1 + (i % 150)}`;
        await bench.ask(evict(pod));
        bench.world.deletePod(ns, pod);
        bench.world.upsertPod(aPod(pod).labels({ app: 'web' }).uid(`uid-${i}`).build());
        bench.world.setSynced('pods', String(3_000 + i));
        bench.pruner.touch(ns);
        await bench.clock.advance(50);
      }
      expect(overdue()).toBe('waiting');
    });
  });

  it('writes nothing while nothing changes', async () => {
    const bench = pruning([evicted('web-0')]);
    bench.pruner.lead();
    for (let i = 0; i < 20; i += 1) {
      bench.pruner.touch(ns);
      await bench.clock.advance(5_000);
    }
    expect(bench.store.calls).toEqual([]);
  });

  it('[L4] sees a reservation through its three steps, each a write', async () => {
    const bench = pruning([evicted('web-0')]);
    bench.pruner.lead();
    const overdue = () => bench.backend.ledger?.spec?.reservations?.[0]?.overdue?.phase;
    await bench.clock.advance(119_900);
    expect(overdue()).toBeUndefined();
    await bench.clock.advance(300);
    expect(overdue()).toBe('waiting');
    await bench.clock.advance(34_500);
    expect(overdue()).toBe('waiting');
    await bench.clock.advance(1_000);
    expect(overdue()).toBe('closed');
    await bench.clock.advance(1_000_000);
    expect(overdue()).toBe('closed');
    expect(bench.store.count('replace')).toBe(2);
    see(bench.world, '5000');
    await bench.clock.advance(5_100);
    expect(bench.reserved()).toEqual([]);
    expect(bench.store.calls).toEqual(['replace', 'replace', 'replace']);
  });

  it('starts its own wait for what another leader waited for', async () => {
    const since = new Date(Date.parse(time) - 3_600_000).toISOString();
    const bench = pruning([{ ...evicted('web-0'), overdue: { phase: 'waiting', by: 'other', since } }]);
    bench.pruner.lead();
    await bench.clock.advance(200);
    expect(bench.backend.ledger?.spec?.reservations).toMatchObject([{ overdue: { phase: 'waiting', by: 'a' } }]);
  });

  it('after a lost race reads, and prunes what is there then', async () => {
    const bench = pruning([evicted('web-0')]);
    bench.backend.ledger = aLedger([evicted('web-0'), evicted('web-1')], undefined, '95');
    see(bench.world, '120', 'web-0');
    bench.pruner.lead();
    await bench.clock.advance(400);
    expect(bench.reserved()).toEqual(['web-1']);
    expect(bench.store.calls).toEqual(['replace', 'read', 'replace']);
  });

  it.each(['dropped', 'lost', 'hangs', 'throws'] as const)('tries again after a write that %s', async (fault) => {
    const bench = pruning([evicted('web-0'), evicted('web-1')]);
    see(bench.world, '120', 'web-0');
    bench.store.faults.push(fault);
    bench.pruner.lead();
    await bench.clock.advance(6_000);
    expect(bench.reserved()).toEqual(['web-1']);
  });

  it('[I9] [L4] puts back what a ledger held that a person deleted, and sees it through', async () => {
    const bench = pruning([evicted('web-0'), evicted('web-1')]);
    bench.backend.ledger = undefined;
    see(bench.world, '120', 'web-0');
    bench.pruner.lead();
    await bench.clock.advance(2_000);
    expect(bench.reserved()).toEqual(['web-1']);
    expect(bench.store.calls).toEqual(['replace', 'read', 'create', 'replace']);
    see(bench.world, '9000');
    await bench.clock.advance(170_000);
    expect(bench.reserved()).toEqual([]);
    expect(bench.world.namespace(ns)?.reservations.size).toBe(0);
  });

  it('does nothing before it leads, nor after', async () => {
    const bench = pruning([evicted('web-0')]);
    see(bench.world, '120', 'web-0');
    bench.pruner.touch(ns);
    await bench.clock.advance(10_000);
    bench.pruner.lead();
    bench.pruner.resign();
    bench.pruner.touch(ns);
    await bench.clock.advance(10_000);
    expect(bench.store.calls).toEqual([]);
    bench.pruner.lead();
    await bench.clock.advance(1_000);
    expect(bench.reserved()).toEqual([]);
  });

  it('forgets its plan when it resigns while it waits for its turn', async () => {
    const bench = pruning([evicted('web-0'), evicted('web-1')]);
    see(bench.world, '120', 'web-0');
    bench.pruner.lead();
    await bench.clock.advance(101);
    bench.pruner.resign();
    await bench.clock.advance(200_000);
    expect(bench.store.calls).toEqual(['replace']);
    expect(bench.reserved()).toEqual(['web-1']);
  });

  it('[L4] closes by a read of the pods, and tries again when that fails', async () => {
    const ledger = aLedger([evicted('web-0')], undefined, '90');
    const world = aWorld({ pods: podsOf('web', 4), pubs: [pubFor('web', { minAvailable: 2 })] });
    world.setLedger(ns, ledger);
    const versions = [undefined, '140'];
    const bench = aBench({ world, stored: ledger, podsVersion: async () => versions.shift() });
    bench.pruner.lead();
    await bench.clock.advance(170_000);
    const overdue = () => bench.backend.ledger?.spec?.reservations?.[0]?.overdue;
    expect(overdue()).toMatchObject({ phase: 'closed', podsVersion: '140' });
    see(bench.world, '139');
    await bench.clock.advance(20_000);
    expect(bench.reserved()).toEqual(['web-0']);
    see(bench.world, '140');
    await bench.clock.advance(6_000);
    expect(bench.reserved()).toEqual([]);
  });

  it('[L2] brings down a watermark from before a restore, also where nothing is reserved', async () => {
    const ledger = aLedger([], '9000', '90');
    const world = aWorld({ pods: podsOf('web', 4), pubs: [pubFor('web', { minAvailable: 2 })] });
    world.setLedger(ns, ledger);
    const bench = aBench({ world, stored: ledger, podsVersion: async () => '120' });
    bench.pruner.lead();
    await bench.clock.advance(1_000);
    expect(bench.backend.ledger?.spec?.watermark).toBe('120');
  });
});
