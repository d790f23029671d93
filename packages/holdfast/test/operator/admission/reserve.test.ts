import { describe, expect, it } from 'vitest';
import { aWorld, inShort } from '../../../../../test/support/a-world.ts';
import { aGroupPdb, aLedger, aPod, aReservation, ns } from '../../../../../test/support/builders.ts';
import { aFirmReservation, lwsPods, podsOf, pubFor } from '../../../../../test/support/fleet.ts';
import { maxReservations } from '../../../src/api/ledger.ts';
import { collections } from '../../../src/core/sync.ts';
import type { Verdict } from '../../../src/core/verdict.ts';
import { World } from '../../../src/core/world/world.ts';
import { acceptRead } from '../../../src/operator/admission/ledger.ts';
import { request, wordsOf } from '../ledger/support/a-service.ts';
import { aBench, type Bench } from '../ledger/support/bench.ts';
import type { Fault } from '../ledger/support/fake-ledgers.ts';

/** Web pods of which `spare` may be disrupted, and an unprotected one. */
function webWorld(spare: number, count = 4): World {
  const pods = [...podsOf('web', count), aPod('free')];
  return aWorld({ pods, pubs: [pubFor('web', { minAvailable: count - spare })] });
}

function webBench(spare: number, more: Partial<Parameters<typeof aBench>[0]> = {}): Bench {
  return aBench({ world: webWorld(spare), stored: aLedger(), ...more });
}

async function together(bench: Bench, pods: readonly string[]): Promise<readonly string[]> {
  const verdicts: Verdict[] = [];
  pods.forEach((pod, i) => {
    void bench.service.submit(request(pod), 10_000).then((verdict) => {
      verdicts[i] = verdict;
    });
  });
  await bench.clock.advance(1_000);
  return verdicts.map(inShort);
}

describe('a request that the ledger has no part in', () => {
  it('is answered without a call', async () => {
    const bench = webBench(1);
    expect(await bench.ask(request('free'))).toBe('allow NotProtected');
    expect(await webBench(0).ask(request('web-0'))).toBe('deny BudgetExhausted');
    expect(bench.store.calls).toEqual([]);
  });

  it('is answered without a call of the ledger where the pod is not in view and cannot be read', async () => {
    const bench = webBench(1, { pods: { read: async () => ({ kind: 'failed', message: 'no route' }) } });
    expect(await bench.ask(request('web-9'))).toBe('deny PodUnknown');
    expect(bench.store.calls).toEqual([]);
  });

  it('[I6] as a dry run leaves no trace', async () => {
    const bench = webBench(1);
    expect(await bench.ask(request('web-0', { dryRun: true }))).toBe('allow WithinBudget');
    expect(bench.store.calls).toEqual([]);
  });

  it('does not wait for a write that is under way', async () => {
    const bench = webBench(1);
    void bench.service.submit(request('web-0'), 10_000);
    await bench.clock.advance(1);
    let free: Verdict | undefined;
    void bench.service.submit(request('free'), 10_000).then((verdict) => {
      free = verdict;
    });
    await bench.clock.advance(0);
    expect(free).toMatchObject({ reason: 'NotProtected' });
    expect(bench.reserved()).toEqual([]);
  });
});

describe('[I4] a view that nothing was heard about', () => {
  const stale = { staleness: () => 'nothing was heard about pods for 200 seconds' };

  it('lets no protected pod go, and reserves nothing', async () => {
    const bench = webBench(1, stale);
    const verdict = await bench.answer(request('web-0'));
    expect(inShort(verdict)).toBe('deny NotSynced');
    expect(wordsOf(verdict)).toContain('nothing was heard about pods for 200 seconds');
    expect(await bench.ask(request('web-0', { dryRun: true }))).toBe('deny NotSynced');
    expect(bench.store.calls).toEqual([]);
  });

  it('lets none go in a namespace whose ledger is not known yet, either', async () => {
    const unread = () => {
      const world = new World();
      for (const collection of collections) world.setSynced(collection, '100');
      for (const pod of podsOf('web', 4)) world.upsertPod(pod.build());
      world.upsertPub(pubFor('web', { minAvailable: 3 }));
      return world;
    };
    expect(await aBench({ world: unread() }).ask(request('web-0'))).toBe('allow WithinBudget');
    const bench = aBench({ world: unread(), ...stale });
    expect(await bench.ask(request('web-0'))).toBe('deny NotSynced');
    expect(bench.store.calls).toEqual([]);
  });

  it('is good enough to refuse by, and for unprotected pods', async () => {
    const bench = webBench(0, stale);
    expect(await bench.ask(request('web-0'))).toBe('deny BudgetExhausted');
    expect(await bench.ask(request('free'))).toBe('allow NotProtected');
  });
});

describe('group commit', () => {
  it('[L1] writes the reservation before it answers', async () => {
    const bench = webBench(1);
    expect(await bench.ask(request('web-0'))).toBe('allow WithinBudget');
    expect(bench.reserved()).toEqual(['web-0']);
    expect(bench.reports).toEqual(['batch stored 10 ms', 'batch of 1 reserved 1 in 1']);
  });

  it('[L1] lets those who come during a write share the next', async () => {
    const bench = webBench(3);
    const first = bench.service.submit(request('web-0'), 10_000);
    await bench.clock.advance(1);
    expect(await together(bench, ['web-1', 'web-2', 'web-3'])).toEqual([
      'allow WithinBudget',
      'allow WithinBudget',
      'deny BudgetExhausted',
    ]);
    expect(await first).toMatchObject({ result: 'allow' });
    expect(bench.store.calls).toEqual(['replace', 'replace']);
  });

  it('[L1] makes a thousand requests at once cost a handful of writes', async () => {
    const bench = aBench({ world: webWorld(600, 1_000), stored: aLedger() });
    const answers = await together(
      bench,
      Array.from({ length: 1_000 }, (_, i) => `web-${i}`),
    );
    expect(answers.filter((one) => one === 'allow WithinBudget')).toHaveLength(600);
    expect(answers.filter((one) => one === 'deny BudgetExhausted')).toHaveLength(400);
    expect(bench.store.count('replace')).toBeLessThanOrEqual(3);
    expect(bench.store.count('read')).toBe(0);
    expect(bench.reserved()).toHaveLength(600);
  });

  it('[I2] charges a group once: all its pods go, and none of the next', async () => {
    const world = aWorld({ pods: lwsPods('llm', 3, 3), pdbs: [aGroupPdb('llm', { app: 'llm' }, { minAvailable: 2 })] });
    const bench = aBench({ world, stored: aLedger() });
    expect(await together(bench, ['llm-1-0', 'llm-1-1', 'llm-0-0', 'llm-1-2'])).toEqual([
      'allow WithinBudget',
      'allow WithinBudget',
      'deny BudgetExhausted',
      'allow WithinBudget',
    ]);
    expect(bench.reserved()).toEqual(['llm-1-0', 'llm-1-1', 'llm-1-2']);
  });
});

describe('[I5] the same request again', () => {
  it('at once: one reservation, and the same answer', async () => {
    const bench = webBench(1);
    expect(await together(bench, ['web-0', 'web-0'])).toEqual(['allow WithinBudget', 'allow AlreadyReserved']);
    expect(bench.reserved()).toEqual(['web-0']);
  });

  it('[L6] [L7] later: it is confirmed by the write that takes the claim off, and from then on by a read', async () => {
    const bench = webBench(1);
    await bench.ask(request('web-0'));
    expect(await bench.ask(request('web-0'))).toBe('allow AlreadyReserved');
    expect(await bench.ask(request('web-0'))).toBe('allow AlreadyReserved');
    expect(bench.store.calls).toEqual(['replace', 'replace', 'read']);
  });

  it('[L6] is judged again when the ledger has lost its reservation meanwhile', async () => {
    const world = webWorld(0);
    world.setLedger(ns, aLedger([aFirmReservation(world, 'web-0')], undefined, '1'));
    const bench = aBench({ world, stored: aLedger([], undefined, '7') });
    expect(await bench.ask(request('web-0'))).toBe('deny BudgetExhausted');
    expect(bench.store.calls).toEqual(['read', 'read']);
  });

  it('after a write whose answer was lost: it is found in the ledger', async () => {
    const bench = webBench(1);
    bench.store.faults.push('lost');
    expect(await bench.ask(request('web-0'))).toBe('allow AlreadyReserved');
    expect(bench.store.calls).toEqual(['replace', 'read']);
    expect(bench.reserved()).toEqual(['web-0']);
  });
});

describe('a write that does not succeed', () => {
  it('[L1] because of another replica: everything is judged again from its ledger', async () => {
    const bench = webBench(1, { stored: aLedger([aReservation('web-3')], undefined, '9') });
    expect(await bench.ask(request('web-0'))).toBe('deny BudgetExhausted');
    expect(bench.store.calls).toEqual(['replace', 'read']);
    expect(bench.reports[0]).toBe('batch conflict 10 ms');
    expect(bench.reserved()).toEqual(['web-3']);
  });

  const recoverable: readonly { fault: Fault; answer: string }[] = [
    { fault: 'raced', answer: 'allow WithinBudget' },
    { fault: 'dropped', answer: 'allow WithinBudget' },
    { fault: 'throws', answer: 'allow WithinBudget' },
    { fault: 'hangs', answer: 'allow AlreadyReserved' },
  ];
  it.each(recoverable)('once ($fault) is tried again', async ({ fault, answer }) => {
    const bench = webBench(1);
    bench.store.faults.push(fault);
    expect(await bench.ask(request('web-0'))).toBe(answer);
    expect(bench.reserved()).toEqual(['web-0']);
  });

  it('[I4] too often is refused, with the last reason', async () => {
    const bench = webBench(1, { limits: { maxAttempts: 3 } });
    bench.store.faults.push('raced', undefined, 'raced', undefined, 'raced');
    const verdict = await bench.answer(request('web-0'));
    expect(inShort(verdict)).toBe('deny LedgerBusy');
    expect(wordsOf(verdict)).toContain('in 3 attempts; the last one failed because another replica wrote first');
    expect(bench.reserved()).toEqual([]);
    expect(await bench.ask(request('web-0'))).toBe('allow WithinBudget');
  });

  it('[I4] because nothing can be read is refused', async () => {
    const bench = webBench(1, { limits: { maxAttempts: 2 } });
    bench.store.faults.push('dropped', 'dropped');
    expect(wordsOf(await bench.answer(request('web-0')))).toContain('it could not be read: connection refused');
  });
});

describe('three replicas that are asked at once', () => {
  it('[I1] admit together what the budget has to give, and no more', async () => {
    const first = aBench({ world: webWorld(50, 300), stored: aLedger(), random: () => 0.1 });
    const others = [0.5, 0.9].map((chance, i) =>
      aBench({ world: webWorld(50, 300), beside: first, identity: `replica-${i}`, random: () => chance }),
    );
    const benches = [first, ...others];
    const verdicts: Verdict[] = [];
    for (let i = 0; i < 300; i += 1) {
      const { service } = benches[i % 3] ?? first;
      void service.submit(request(`web-${i}`), 10_000).then((verdict) => verdicts.push(verdict));
    }
    await first.clock.advance(2_000);
    expect(verdicts).toHaveLength(300);
    expect(verdicts.filter((one) => one.result === 'allow')).toHaveLength(50);
    expect(first.reserved()).toHaveLength(50);
    // The first to write takes all there is; the others lose one race each, read, and refuse.
    expect(benches.map((one) => one.store.calls)).toEqual([['replace'], ['replace', 'read'], ['replace', 'read']]);
  });
});

describe('[L3] a full ledger', () => {
  it('refuses without a call, and goes on when there is room', async () => {
    const world = webWorld(1);
    const full = aLedger(
      Array.from({ length: maxReservations }, (_, i) => aReservation(`gone-${i}`)),
      undefined,
      '7',
    );
    world.setLedger(ns, full);
    const bench = aBench({ world, stored: full });
    expect(await bench.ask(request('web-0'))).toBe('deny LedgerFull');
    expect(bench.store.calls).toEqual([]);
    world.setSynced('pods', '200');
    bench.pruner.lead();
    await bench.clock.advance(200);
    expect(bench.reserved()).toEqual([]);
    expect(await bench.ask(request('web-0'))).toBe('allow WithinBudget');
  });
});

describe('a mistake while a batch is judged', () => {
  it('[I4] costs an attempt, and leaves nothing reserved in the mind', async () => {
    const bench = webBench(1);
    const advance = bench.world.advance.bind(bench.world);
    let calls = 0;
    // Two requests are looked at when they come; the fourth look is at the second of the batch.
    bench.world.advance = (now) => {
      calls += 1;
      if (calls === 4) throw new Error('a mistake');
      advance(now);
    };
    expect(await together(bench, ['web-0', 'web-1'])).toEqual(['allow WithinBudget', 'deny BudgetExhausted']);
    expect(bench.reserved()).toEqual(['web-0']);
    expect(bench.reports.at(-1)).toBe('batch of 2 reserved 1 in 2');
  });
});

describe('a ledger that is not there', () => {
  it('is created', async () => {
    const bench = aBench({ world: webWorld(1) });
    expect(await bench.ask(request('web-0'))).toBe('allow WithinBudget');
    expect(bench.store.calls).toEqual(['replace', 'read', 'create']);
    expect(bench.backend.ledger?.metadata).toMatchObject({ name: 'default', namespace: ns });
  });

  it('is read first when it was never seen, and created by one of two', async () => {
    const world = aWorld({ pods: podsOf('web', 4), pubs: [pubFor('web', { minAvailable: 3 })] });
    const state = world.namespace(ns);
    if (state !== undefined) state.ledger = undefined;
    const bench = aBench({ world });
    const creating = bench.ask(request('web-0'));
    await bench.clock.advance(12);
    bench.backend.ledger = aLedger([aReservation('web-2')], undefined, '50');
    expect(await creating).toBe('deny BudgetExhausted');
    expect(bench.store.calls).toEqual(['read', 'create', 'read']);
  });

  it.each([
    ['a dry run', 1, { dryRun: true }, 'allow WithinBudget'],
    ['a refusal', 0, {}, 'deny BudgetExhausted'],
  ])('[I6] is not created for %s', async (_title, spare, more, answer) => {
    const world = webWorld(spare);
    const state = world.namespace(ns);
    if (state !== undefined) state.ledger = undefined;
    const bench = aBench({ world });
    expect(await bench.ask(request('web-0', more))).toBe(answer);
    expect(bench.store.calls).toEqual(['read']);
    expect(bench.backend.ledger).toBeUndefined();
  });

  it('[I1] is there again before another disruption is allowed, when a client deleted it', async () => {
    const world = webWorld(1);
    world.setLedger(ns, aLedger([aFirmReservation(world, 'web-0')], '90', '2'));
    const bench = aBench({ world });
    expect(await bench.ask(request('web-0'))).toBe('allow AlreadyReserved');
    expect(bench.backend.ledger?.spec?.reservations).toMatchObject([{ pod: 'web-0' }]);
  });

  it('[I1] is created with what was last known, when a client deleted it', async () => {
    const world = webWorld(1);
    world.setLedger(ns, aLedger([aReservation('web-3', 'UPDATE')], '90', '2'));
    const bench = aBench({ world });
    // As if web-3 were not reserved; so the batch reaches the store.
    expect(await bench.ask(request('web-3'))).toBe('allow WithinBudget');
    expect(bench.backend.ledger?.spec).toMatchObject({
      reservations: [{ pod: 'web-3', operation: 'EVICT' }],
      watermark: '90',
    });
  });
});

describe('a request whose time is up', () => {
  it('while it waits is never judged', async () => {
    const bench = webBench(2);
    bench.store.faults.push('hangs');
    const first = bench.service.submit(request('web-0'), 10_000);
    await bench.clock.advance(1);
    const verdict = await bench.answer(request('web-1'), 50);
    expect(wordsOf(verdict)).toContain('the ledger could not be written before the deadline of the request');
    await bench.clock.advance(10_000);
    expect(await first).toMatchObject({ result: 'allow' });
    expect(bench.reserved()).toEqual(['web-0']);
    expect(bench.reports.join()).not.toContain('abandoned');
  });

  it('[I9] while it is written leaves a reservation: it is reported, answers a client that asks again, and is released in the end', async () => {
    const bench = webBench(1);
    expect(await bench.ask(request('web-0'), 7)).toBe('deny LedgerBusy');
    await bench.clock.advance(100);
    expect(bench.reserved()).toEqual(['web-0']);
    expect(bench.reports).toContain('abandoned web-0');
    expect(await bench.ask(request('web-1'))).toBe('deny BudgetExhausted');
    expect(await bench.ask(request('web-0'))).toBe('allow AlreadyReserved');
    bench.pruner.lead();
    await bench.clock.advance(165_000);
    expect(bench.reserved()).toEqual(['web-0']);
    const world = bench.world;
    world.setSynced('pods', '5000');
    await bench.clock.advance(10_000);
    expect(bench.reserved()).toEqual([]);
    expect(bench.reports).toContain('released web-0: returned');
  });
});

describe('too many requests', () => {
  it('in one namespace are refused at the door', async () => {
    const bench = webBench(3, { limits: { maxWaiting: 1 } });
    expect(await together(bench, ['web-0', 'web-1'])).toEqual(['allow WithinBudget', 'deny LedgerBusy']);
  });

  it('in all are refused at the door, and the door opens again', async () => {
    const bench = webBench(3, { limits: { maxRequests: 1 } });
    expect(await together(bench, ['web-0', 'web-1'])).toEqual(['allow WithinBudget', 'deny LedgerBusy']);
    expect(await bench.ask(request('web-1'))).toBe('allow WithinBudget');
  });

  it('for one batch are split', async () => {
    const bench = webBench(3, { limits: { maxBatch: 2 } });
    expect(await together(bench, ['web-0', 'web-1', 'web-2'])).toEqual(Array(3).fill('allow WithinBudget'));
    expect(bench.store.count('replace')).toBe(2);
  });
});

describe('after a restore of etcd from a backup', () => {
  it('[I1] takes the older ledger that a consistent read found, and goes on from there', async () => {
    const world = webWorld(2);
    world.setLedger(ns, aLedger([aReservation('web-3')], undefined, '5000'));
    const bench = aBench({ world, stored: aLedger([], undefined, '90') });
    expect(await bench.ask(request('web-0'))).toBe('allow WithinBudget');
    expect(bench.reserved()).toEqual(['web-0']);
    expect(await bench.ask(request('web-1'))).toBe('allow WithinBudget');
    expect(await bench.ask(request('web-2'))).toBe('deny BudgetExhausted');
  });

  it('[I1] does not take the answer of a read that was older than what was known when it ended', async () => {
    const world = webWorld(1);
    world.setLedger(ns, aLedger([], undefined, '90'));
    const newer = aLedger([aReservation('web-3')], undefined, '95');
    expect(acceptRead(world, ns, aLedger([], undefined, '90'), '90')).toBe(true);
    world.setLedger(ns, newer);
    expect(acceptRead(world, ns, aLedger([], undefined, '90'), '90')).toBe(false);
    expect(world.namespace(ns)?.ledger).toBe(newer);
  });
});
