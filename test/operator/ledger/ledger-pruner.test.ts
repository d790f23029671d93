import { describe, expect, it } from 'vitest';
import type { Reservation } from '../../../src/api/ledger.ts';
import type { World } from '../../../src/core/world/world.ts';
import { aWorld } from '../../support/a-world.ts';
import { aLedger, aPod, aReservation, ns } from '../../support/builders.ts';
import { podsOf, pubFor } from '../../support/fleet.ts';
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

  it('waits anew for what another leader waited for', async () => {
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

  it('lets a ledger that is gone be', async () => {
    const bench = pruning([evicted('web-0')]);
    bench.backend.ledger = undefined;
    see(bench.world, '120', 'web-0');
    bench.pruner.lead();
    await bench.clock.advance(60_000);
    expect(bench.store.calls).toEqual(['replace', 'read']);
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
});
