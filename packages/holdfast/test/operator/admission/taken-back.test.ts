import { describe, expect, it } from 'vitest';
import { aWorld, inShort } from '../../../../../test/support/a-world.ts';
import { aLedger, anOwner } from '../../../../../test/support/builders.ts';
import { podsOf, pubFor } from '../../../../../test/support/fleet.ts';
import type { World } from '../../../src/core/world/world.ts';
import type { Completion, Taken } from '../../../src/operator/admission/complete.ts';
import { request } from '../ledger/support/a-service.ts';
import { aBench } from '../ledger/support/bench.ts';

const owner = anOwner('StatefulSet', 'web', 3);

/** One of three pods may go. */
const web = (): World =>
  aWorld({ pods: podsOf('web', 3, owner), owners: [owner], pubs: [pubFor('web', { maxUnavailable: 1 })] });

const exhausted: Taken = { kind: 'refused', budget: 'plain', why: 'its status allows 0 disruptions' };
const given: Taken = { kind: 'taken', giveBack: async () => undefined };

/** A counter that takes its time, and then refuses. */
function aCounter() {
  let answer: (taken: Taken) => void = () => undefined;
  const taken = new Promise<Taken>((resolve) => {
    answer = resolve;
  });
  return { take: () => taken, refuse: () => answer(exhausted) };
}

describe('[L7] a reservation whose eviction is certain not to happen', () => {
  it('is taken back when the counter of a plain PDB refuses: another pod may go at once', async () => {
    const counters = { take: async ({ pod }: { pod: string }) => (pod === 'web-0' ? exhausted : given) };
    const bench = aBench({ world: web(), stored: aLedger(), counters });
    expect(await bench.ask(request('web-0'))).toBe('deny NotCountedYet');
    await bench.clock.advance(50);
    expect(bench.reserved()).toEqual([]);
    expect(await bench.ask(request('web-1'))).toBe('allow WithinBudget');
  });

  it.each<Completion>([
    { kind: 'refused', message: 'a webhook refuses it' },
    { kind: 'unsent', message: 'only 5 ms were left for it' },
  ])('is taken back when the deletion is $kind', async (completion) => {
    const bench = aBench({ world: web(), stored: aLedger(), takeOver: async () => completion });
    expect(await bench.ask(request('web-0'))).toMatch(/^deny/);
    await bench.clock.advance(50);
    expect(bench.reserved()).toEqual([]);
  });

  it('stays when it is not known whether the deletion was done', async () => {
    const takeOver = async (): Promise<Completion> => ({ kind: 'unknown', message: 'the connection was reset' });
    const bench = aBench({ world: web(), stored: aLedger(), takeOver });
    expect(await bench.ask(request('web-0'))).toMatch(/^deny/);
    await bench.clock.advance(50);
    expect(bench.reserved()).toEqual(['web-0']);
  });

  it('[I1] stays when another replica answered a request by it meanwhile: that eviction may yet happen', async () => {
    const counter = aCounter();
    const first = aBench({ world: web(), stored: aLedger(), counters: counter });
    const answer = first.service.submit(request('web-0'), 9_000);
    await first.clock.advance(50);
    expect(first.reserved()).toEqual(['web-0']);
    const second = aBench({ world: web(), beside: first, identity: 'b' });
    expect(await second.ask(request('web-0'))).toBe('allow AlreadyReserved');
    counter.refuse();
    expect(inShort(await answer)).toBe('deny NotCountedYet');
    await first.clock.advance(1_000);
    expect(first.reserved()).toEqual(['web-0']);
  });

  it('[I6] a dry run that finds the reservation leaves it as it is: it can still be taken back', async () => {
    const counter = aCounter();
    const bench = aBench({ world: web(), stored: aLedger(), counters: counter });
    const answer = bench.service.submit(request('web-0'), 9_000);
    await bench.clock.advance(50);
    expect(await bench.ask(request('web-0', { dryRun: true }))).toBe('allow AlreadyReserved');
    counter.refuse();
    expect(inShort(await answer)).toBe('deny NotCountedYet');
    await bench.clock.advance(50);
    expect(bench.reserved()).toEqual([]);
  });
});
