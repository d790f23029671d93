import { describe, expect, it } from 'vitest';
import { ask, aWorld, inShort } from '../../../../test/support/a-world.ts';
import { aLedger, aReservation, ns } from '../../../../test/support/builders.ts';
import { aFirmReservation, podsOf, pubFor } from '../../../../test/support/fleet.ts';
import { table } from '../../../../test/support/table.ts';
import { decideBatch } from '../../src/core/ledger/batch.ts';
import type { Operation } from '../../src/core/request.ts';
import type { World } from '../../src/core/world/world.ts';

/** Four web pods of which `spare` may go. */
function webWorld(spare: number): World {
  return aWorld({ pods: podsOf('web', 4), pubs: [pubFor('web', { minAvailable: 4 - spare })] });
}

describe('what a reservation covers', () => {
  const all: readonly Operation[] = ['EVICT', 'DELETE', 'UPDATE', 'RESIZE'];
  const operationsOf = { protectOperations: all };
  table<{ name: string; held: Operation; covered: readonly Operation[] }>(
    [
      { name: '[L5] an eviction covers everything', held: 'EVICT', covered: all },
      { name: '[L5] a delete covers everything', held: 'DELETE', covered: all },
      { name: '[L5] an update covers updates and resizes', held: 'UPDATE', covered: ['UPDATE', 'RESIZE'] },
      { name: '[L5] a resize covers updates and resizes', held: 'RESIZE', covered: ['UPDATE', 'RESIZE'] },
    ],
    ({ held, covered }) => {
      for (const operation of all) {
        const world = aWorld({ pods: podsOf('web', 2), pubs: [pubFor('web', { minAvailable: 1, ...operationsOf })] });
        world.setLedger(ns, aLedger([aFirmReservation(world, 'web-0', held)]));
        const want = covered.includes(operation) ? 'allow AlreadyReserved' : 'allow WithinBudget';
        expect(inShort(ask(world, operation, 'web-0'))).toBe(want);
      }
    },
  );

  it('[L5] a removal of a pod that is being updated is judged as if it were not, and replaces it', () => {
    const world = webWorld(1);
    world.setLedger(ns, aLedger([aReservation('web-0', 'UPDATE')]));
    const { verdicts, ledger } = decideBatch(world, ns, [{ operation: 'DELETE', namespace: ns, pod: 'web-0' }], 0);
    expect(verdicts[0]).toMatchObject({ reason: 'WithinBudget', charges: [{ effect: 'breaks', available: 4 }] });
    expect(ledger?.spec?.reservations).toHaveLength(1);
    expect(ledger?.spec?.reservations?.[0]).toMatchObject({ pod: 'web-0', operation: 'DELETE' });
    expect(inShort(ask(world, 'EVICT', 'web-1'))).toBe('deny BudgetExhausted');
  });

  it('[L5] a removal that the budget refuses is refused although an update is reserved', () => {
    const world = webWorld(0);
    world.setLedger(ns, aLedger([aFirmReservation(world, 'web-0', 'UPDATE')]));
    expect(inShort(ask(world, 'UPDATE', 'web-0'))).toBe('allow AlreadyReserved');
    expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('deny BudgetExhausted');
  });
});
