import { describe, expect, it } from 'vitest';
import { aWorld, inShort } from '../../../../../test/support/a-world.ts';
import { aGroupPdb, aLedger, aPod, aReservation, ns, type PodBuilder } from '../../../../../test/support/builders.ts';
import { groupIndex, lwsPods, podsOf, pubFor } from '../../../../../test/support/fleet.ts';
import type { DisruptionRequest } from '../../../src/core/request.ts';
import type { Verdict } from '../../../src/core/verdict.ts';
import type { World } from '../../../src/core/world/world.ts';
import type { PodReader, PodReading } from '../../../src/operator/admission/verify.ts';
import { request, wordsOf } from '../ledger/support/a-service.ts';
import { aBench } from '../ledger/support/bench.ts';

const broken = 'llm-0-1';

/** Two groups of two; the first is down, as far as the view knows, because its second pod is not ready. */
const llmPods: readonly PodBuilder[] = lwsPods('llm', 2, 2).map((pod) =>
  pod.build().metadata.name === broken ? pod.notReady() : pod,
);

/** Under a PUB that needs both groups: pods of a group that is down may go, and no others. */
function byPub(): World {
  const podGroupPolicy = { groupLabelKey: groupIndex, minReadyReplicas: 2 };
  return aWorld({ pods: llmPods, pubs: [pubFor('llm', { minAvailable: 2, podGroupPolicy })] });
}

function byPdb(): World {
  return aWorld({ pods: llmPods, pdbs: [aGroupPdb('llm', { app: 'llm' }, { minAvailable: 1 })] });
}

interface SpyReader extends PodReader {
  readonly asked: string[];
}

/** Answers as told; about other pods, that they are as the view has them. */
function aReader(answers: Readonly<Record<string, PodReading | 'hangs' | 'throws'>> = {}): SpyReader {
  const asked: string[] = [];
  return {
    asked,
    read(_, pod) {
      asked.push(pod);
      const answer = answers[pod] ?? { kind: 'found', uid: `uid-${pod}`, resourceVersion: '10' };
      if (answer === 'hangs') return new Promise(() => {});
      if (answer === 'throws') return Promise.reject(new Error('no route'));
      return Promise.resolve(answer);
    },
  };
}

/** Evictions are left to the API server, and bound to the uid of their pod. */
const untaken = { options: { takeover: 'off' } } as const;
const pinned = (pod: string, more: Partial<DisruptionRequest> = {}) => request(pod, { uid: `uid-${pod}`, ...more });

const movedOn: PodReading = { kind: 'found', uid: `uid-${broken}`, resourceVersion: '150' };

describe('[N5] a verdict that rests on what other pods are', () => {
  it('is given after they were read, and after the reservation was written', async () => {
    const pods = aReader();
    const bench = aBench({ world: byPub(), stored: aLedger(), pods });
    let reservedBefore: readonly string[] | undefined;
    const read = pods.read.bind(pods);
    pods.read = (...given) => {
      reservedBefore = bench.reserved();
      return read(...given);
    };
    expect(await bench.ask(request('llm-0-0'))).toBe('allow WithinBudget');
    expect(pods.asked).toEqual([broken]);
    expect(reservedBefore).toEqual(['llm-0-0']);
  });

  const holding: readonly { what: string; reading: PodReading; answer: string }[] = [
    {
      what: 'is unchanged',
      reading: { kind: 'found', uid: `uid-${broken}`, resourceVersion: '10' },
      answer: 'allow WithinBudget',
    },
    { what: 'is gone', reading: { kind: 'missing' }, answer: 'allow WithinBudget' },
    { what: 'has moved on', reading: movedOn, answer: 'deny PodUnknown' },
    { what: 'cannot be read', reading: { kind: 'failed', message: 'timeout' }, answer: 'deny PodUnknown' },
  ];
  it.each(holding)('when one of them $what: $answer', async ({ reading, answer }) => {
    const bench = aBench({ world: byPub(), stored: aLedger(), pods: aReader({ [broken]: reading }) });
    expect(await bench.ask(request('llm-0-0'))).toBe(answer);
  });

  it('when one of them is another pod by now: it is judged again, until that does not help', async () => {
    const reading: PodReading = { kind: 'found', uid: 'new', resourceVersion: '10' };
    const bench = aBench({ world: byPub(), stored: aLedger(), pods: aReader({ [broken]: reading }) });
    const verdict = await bench.answer(request('llm-0-0'));
    expect(wordsOf(verdict)).toContain('kept changing');
    expect(bench.reports.filter((one) => one.startsWith('batch stored'))).toHaveLength(4);
  });

  it.each(['hangs', 'throws'] as const)('[I4] is refused when the reader %s', async (reading) => {
    const bench = aBench({ world: byPub(), stored: aLedger(), pods: aReader({ [broken]: reading }) });
    const verdict = await bench.answer(request('llm-0-0'), 2_000);
    expect(inShort(verdict)).toBe('deny PodUnknown');
    expect(wordsOf(verdict)).toContain(reading === 'hangs' ? 'deadline of the request passed' : 'no route');
    expect(bench.reports).toContain('abandoned llm-0-0');
  });

  it('[I4] is refused when it rests on more pods than are read', async () => {
    const bench = aBench({ world: byPub(), stored: aLedger(), limits: { maxReads: 0 } });
    expect(wordsOf(await bench.answer(request('llm-0-0')))).toContain('depends on 1 pod, and at most 0 are read');
  });

  it('is judged again as soon as the view has caught up with them', async () => {
    const world = byPub();
    const bench = aBench({ world, stored: aLedger(), pods: aReader({ [broken]: movedOn }) });
    let verdict: Verdict | undefined;
    void bench.service.submit(request('llm-0-0'), 10_000).then((one) => {
      verdict = one;
    });
    await bench.clock.advance(500);
    expect(verdict).toBeUndefined();
    world.upsertPod(aPod(broken).labels({ app: 'llm' }).lws('llm', 0, 1, 2).version('150').build());
    world.setSynced('pods', '150');
    bench.views.advanced();
    await bench.clock.advance(0);
    // Both groups serve, and both are needed: what was free is not any more.
    expect(verdict === undefined ? '' : inShort(verdict)).toBe('deny BudgetExhausted');
    expect(bench.reports).toContain('abandoned llm-0-0');
  });
});

describe("[N5] a verdict that rests on the target's own version", () => {
  it('hands it to the takeover, unread', async () => {
    const pods = aReader();
    const bench = aBench({ world: byPdb(), stored: aLedger(), pods });
    expect(await bench.answer(request(broken))).toMatchObject({
      effects: { complete: 'takeover', onlyIf: { pod: broken, resourceVersion: '10' } },
    });
    expect(pods.asked).toEqual([]);
  });

  it('reads it where the API server deletes', async () => {
    const pods = aReader({ [broken]: movedOn });
    const bench = aBench({ world: byPub(), stored: aLedger(), pods, ...untaken });
    expect(await bench.ask(pinned(broken))).toBe('deny PodUnknown');
    expect(pods.asked).toEqual([broken]);
  });

  it('[X1] reserves and reads a Pending pod, too', async () => {
    const starting = () => {
      const world = byPub();
      world.upsertPod(aPod('new').labels({ app: 'llm' }).phase('Pending').notReady().build());
      return world;
    };
    const bench = aBench({ world: starting(), stored: aLedger(), pods: aReader(), ...untaken });
    expect(await bench.ask(pinned('new'))).toBe('allow Pending');
    expect(bench.backend.ledger?.spec?.reservations).toMatchObject([{ pod: 'new', conditional: true }]);
    const moved = aReader({ new: { kind: 'found', uid: 'uid-new', resourceVersion: '150' } });
    const other = aBench({ world: starting(), stored: aLedger(), pods: moved, ...untaken });
    expect(await other.ask(pinned('new'))).toBe('deny PodUnknown');
  });
});

describe('[L5] a reservation that rests on versions', () => {
  it('answers no repeated request: those are judged again', async () => {
    const bench = aBench({ world: byPub(), stored: aLedger(), pods: aReader() });
    await bench.ask(request('llm-0-0'));
    expect(bench.backend.ledger?.spec?.reservations).toMatchObject([{ pod: 'llm-0-0', conditional: true }]);
    expect(await bench.ask(request('llm-0-0'))).toBe('allow WithinBudget');
    expect(bench.reserved()).toEqual(['llm-0-0']);
  });

  it('shares what it rests on with those of its own batch', async () => {
    const pods = aReader({ [broken]: movedOn });
    const bench = aBench({ world: byPub(), stored: aLedger(), pods, ...untaken });
    const answers = ['EVICT', 'DELETE'].map((operation) =>
      bench.service.submit(pinned(broken, { operation: operation as 'EVICT' | 'DELETE' }), 3_000),
    );
    await bench.clock.advance(4_000);
    expect((await Promise.all(answers)).map(inShort)).toEqual(['deny PodUnknown', 'deny PodUnknown']);
    expect(pods.asked).toEqual([broken, broken]);
  });

  /** Pod a came up unseen by one replica, and another took b away because of it. */
  it('[I1] does not let a repeated request through that the first was stopped for', async () => {
    const a = aPod('a').labels({ app: 'web' });
    const pubs = [pubFor('web', { minAvailable: 1 })];
    const stored = aLedger([aReservation('b')], undefined, '2');
    const truth = aReader({ a: { kind: 'found', uid: 'uid-a', resourceVersion: '110' } });
    const behind = aBench({
      world: aWorld({ pods: [a.notReady(), aPod('b').labels({ app: 'web' })], pubs }),
      stored,
      pods: truth,
      ...untaken,
    });
    expect(await behind.ask(pinned('a'))).toBe('deny PodUnknown');
    expect(behind.reserved()).toEqual(['b', 'a']);
    const world = aWorld({ pods: [a.version('110'), aPod('b').labels({ app: 'web' })], pubs });
    const ledger = behind.backend.ledger;
    if (ledger !== undefined) world.setLedger(ns, ledger);
    const fresh = aBench({ world, ...(ledger === undefined ? {} : { stored: ledger }), pods: truth, ...untaken });
    expect(await fresh.ask(pinned('a'))).toBe('deny BudgetExhausted');
  });
});

describe('[L7] a reservation whose condition did not hold', () => {
  const refused = () => aBench({ world: byPub(), stored: aLedger(), pods: aReader({ [broken]: movedOn }) });

  it('is taken back by the request that made it, after the answer', async () => {
    const bench = refused();
    expect(await bench.ask(request('llm-0-0'))).toBe('deny PodUnknown');
    expect(bench.reserved()).toEqual(['llm-0-0']);
    await bench.clock.advance(50);
    expect(bench.reserved()).toEqual([]);
    expect(bench.reports).toContain('withdraw stored 10 ms');
    expect(bench.backend.ledger?.spec).not.toHaveProperty('watermark');
  });

  it('is taken back after a lost race, too', async () => {
    const bench = refused();
    bench.store.faults.push(undefined, 'raced');
    expect(await bench.ask(request('llm-0-0'))).toBe('deny PodUnknown');
    await bench.clock.advance(1_000);
    expect(bench.reserved()).toEqual([]);
    expect(bench.reports).toContain('withdraw conflict 10 ms');
  });

  it('stays when another request for the pod came meanwhile: it may have been answered by what is there now', async () => {
    const bench = refused();
    const first = bench.service.submit(request('llm-0-0'), 3_000);
    const second = bench.service.submit(request('llm-0-0', { operation: 'DELETE' }), 3_000);
    await bench.clock.advance(10_000);
    expect([await first, await second].map(inShort)).toEqual(['deny PodUnknown', 'deny PodUnknown']);
    expect(bench.reserved()).toEqual(['llm-0-0']);
  });

  it('stays when it cannot be written: the leader ends it', async () => {
    const bench = refused();
    bench.store.faults.push(undefined, ...Array.from({ length: 100 }, () => 'dropped' as const));
    expect(await bench.ask(request('llm-0-0'))).toBe('deny PodUnknown');
    await bench.clock.advance(60_000);
    expect(bench.reserved()).toEqual(['llm-0-0']);
    const { length } = bench.store.calls;
    await bench.clock.advance(60_000);
    expect(bench.store.calls).toHaveLength(length);
  });
});

describe('[N6] [I1] a unit that looks down because of a reservation that came to nothing', () => {
  it('is free for no other request in a view that has not seen more', async () => {
    const stored = aLedger([aReservation('llm-0-0', 'EVICT', { conditional: true })], undefined, '2');
    const world = byPub();
    world.setLedger(ns, stored);
    const bench = aBench({ world, stored, pods: aReader({ [broken]: movedOn }), ...untaken });
    expect(await bench.ask(pinned(broken))).toBe('deny PodUnknown');
    expect(bench.reserved()).toEqual(['llm-0-0', broken]);
  });

  it('is free for no other request in a view that has, until the pod is seen to terminate', async () => {
    const stored = aLedger([aReservation('llm-0-0', 'EVICT', { conditional: true })], undefined, '2');
    const world = byPub();
    world.setLedger(ns, stored);
    world.upsertPod(aPod(broken).labels({ app: 'llm' }).lws('llm', 0, 1, 2).version('150').build());
    const bench = aBench({ world, stored });
    const verdict = await bench.answer(request(broken));
    expect(inShort(verdict)).toBe('deny DisruptionUnproven');
    expect(wordsOf(verdict)).toContain('not known yet whether llm-0-0 will be deleted');
    world.upsertPod(aPod('llm-0-0').labels({ app: 'llm' }).lws('llm', 0, 0, 2).terminating().build());
    expect(await bench.ask(request(broken))).toBe('allow WithinBudget');
  });

  it('within one batch gives the others its own ground to stand on', async () => {
    const pods = aReader({ [broken]: movedOn });
    const world = aWorld({
      pods: lwsPods('llm', 2, 3).map((pod) => (pod.build().metadata.name === broken ? pod.notReady() : pod)),
      pubs: [pubFor('llm', { minAvailable: 2, podGroupPolicy: { groupLabelKey: groupIndex, minReadyReplicas: 3 } })],
    });
    const bench = aBench({ world, stored: aLedger(), pods });
    const answers = ['llm-0-0', 'llm-0-2'].map((pod) => bench.service.submit(request(pod), 3_000));
    await bench.clock.advance(4_000);
    expect((await Promise.all(answers)).map(inShort)).toEqual(['deny PodUnknown', 'deny PodUnknown']);
    expect(pods.asked).toEqual([broken, broken]);
    expect(bench.backend.ledger?.spec?.reservations?.every((one) => one.conditional === true)).toBe(true);
  });

  it('holds up no other unit', async () => {
    const bench = aBench({ world: byPdb(), stored: aLedger(), pods: aReader({ [broken]: movedOn }) });
    expect(await bench.ask(request('llm-0-0'))).toBe('deny PodUnknown');
    expect(await bench.ask(request('llm-1-0'))).toBe('deny BudgetExhausted');
  });
});

describe('[L2] a view that is older than the watermark', () => {
  const pruned = aLedger([], '140', '2');
  const aStaleWorld = (): World => {
    const world = aWorld({ pods: podsOf('web', 2), pubs: [pubFor('web', { minAvailable: 1 })] });
    world.setLedger(ns, pruned);
    return world;
  };

  it('is waited for', async () => {
    const world = aStaleWorld();
    const bench = aBench({ world, stored: pruned });
    const answer = bench.ask(request('web-0'));
    await bench.clock.advance(300);
    expect(bench.store.calls).toEqual([]);
    world.setSynced('pods', '140');
    bench.views.advanced();
    expect(await answer).toBe('allow WithinBudget');
  });

  it('is not waited for longer than its limit', async () => {
    const bench = aBench({ world: aStaleWorld(), stored: pruned });
    expect(await bench.ask(request('web-0'))).toBe('deny CacheStale');
    expect(bench.clock.monotonic() - new Date('2026-01-01T00:00:00Z').getTime()).toBe(2_000);
  });

  it('is found out from the ledger that won the race, too', async () => {
    const world = aWorld({ pods: podsOf('web', 2), pubs: [pubFor('web', { minAvailable: 1 })] });
    const bench = aBench({ world, stored: pruned });
    expect(await bench.ask(request('web-0'))).toBe('deny CacheStale');
    expect(bench.store.calls).toEqual(['replace', 'read']);
  });
});
