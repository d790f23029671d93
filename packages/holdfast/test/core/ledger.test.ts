import { describe, expect, it } from 'vitest';
import { ask, aWorld, inShort } from '../../../../test/support/a-world.ts';
import { aGroupPdb, aLedger, aPod, aReservation, ns, type PodBuilder } from '../../../../test/support/builders.ts';
import { aFirmReservation, lwsPods, podsOf, pubFor, reserveIn } from '../../../../test/support/fleet.ts';
import { maxReservations, type Reservation } from '../../src/api/ledger.ts';
import { budgetNumbers } from '../../src/core/budget/numbers.ts';
import { type BatchOutcome, decideBatch } from '../../src/core/ledger/batch.ts';
import { defaultTimeLimits, prune } from '../../src/core/ledger/prune.ts';
import type { DisruptionRequest, Operation } from '../../src/core/request.ts';
import type { World } from '../../src/core/world/world.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const leader = { identity: 'a', uptime: 0 };
const web = { kind: 'PodUnavailableBudget', namespace: ns, name: 'web' } as const;

const request = (pod: string, more: Partial<DisruptionRequest> = {}): DisruptionRequest => {
  return { operation: 'EVICT', namespace: ns, pod, ...more };
};

/** Four web pods of which `spare` may be disrupted, and an unprotected one. */
function webWorld(spare: number): World {
  return aWorld({ pods: [...podsOf('web', 4), aPod('free')], pubs: [pubFor('web', { minAvailable: 4 - spare })] });
}

function judge(world: World, ...requests: readonly DisruptionRequest[]): readonly string[] {
  return decideBatch(world, ns, requests, now).verdicts.map(inShort);
}

/** All that can be asked of the world: two worlds that answer alike are alike. */
function answers(world: World): unknown {
  const pods = [...(world.namespace(ns)?.pods.keys() ?? [])];
  const operations: readonly Operation[] = ['EVICT', 'DELETE', 'UPDATE'];
  return {
    numbers: budgetNumbers(world, web, now),
    verdicts: pods.map((pod) => operations.map((operation) => ask(world, operation, pod))),
    reservations: [...(world.namespace(ns)?.reservations.values() ?? [])],
    ledger: world.namespace(ns)?.ledger,
  };
}

describe('a batch', () => {
  it('[L1] is judged in order, and each request sees those before it as gone', () => {
    expect(judge(webWorld(2), request('web-2'), request('web-0'), request('web-1'), request('web-3'))).toEqual([
      'allow WithinBudget',
      'allow WithinBudget',
      'deny BudgetExhausted',
      'deny BudgetExhausted',
    ]);
  });

  it('[L1] writes all its reservations at once, upon the version of the ledger that it was judged by', () => {
    const world = webWorld(2);
    const old = aReservation('gone');
    world.setLedger(ns, aLedger([old], '90', '17'));
    const { ledger } = decideBatch(world, ns, [request('web-0'), request('web-1', { operation: 'DELETE' })], now);
    expect(ledger?.metadata).toMatchObject({ name: 'default', namespace: ns, resourceVersion: '17' });
    expect(ledger?.spec?.watermark).toBe('90');
    expect(ledger?.spec?.reservations).toEqual([
      old,
      {
        pod: 'web-0',
        uid: 'uid-web-0',
        operation: 'EVICT',
        time: '2026-03-01T12:00:00.000Z',
        view: '100',
        generation: 0,
        judgedBy: [expect.stringMatching(/^[0-9a-z]{14}$/)],
      },
      {
        pod: 'web-1',
        uid: 'uid-web-1',
        operation: 'DELETE',
        time: '2026-03-01T12:00:00.000Z',
        view: '100',
        generation: 0,
        judgedBy: [expect.stringMatching(/^[0-9a-z]{14}$/)],
      },
    ]);
  });

  it('[L1] leaves the world as it was', () => {
    const world = webWorld(2);
    world.setLedger(ns, aLedger([aReservation('web-3', 'UPDATE')]));
    const before = answers(world);
    decideBatch(world, ns, [request('web-0'), request('web-3'), request('web-1'), request('free')], now);
    expect(answers(world)).toEqual(before);
  });

  it('[L1] that loses the race is judged again from the new snapshot', () => {
    const world = webWorld(2);
    const batch = [request('web-0'), request('web-1')];
    expect(judge(world, ...batch)).toEqual(['allow WithinBudget', 'allow WithinBudget']);
    world.setLedger(ns, aLedger([aReservation('web-3')], undefined, '2'));
    expect(judge(world, ...batch)).toEqual(['allow WithinBudget', 'deny BudgetExhausted']);
    expect(decideBatch(world, ns, batch, now).ledger?.metadata.resourceVersion).toBe('2');
  });

  it('[L1] with the same pod twice reserves it once', () => {
    const { verdicts, ledger } = decideBatch(webWorld(1), ns, [request('web-0'), request('web-0')], now);
    expect(verdicts.map(inShort)).toEqual(['allow WithinBudget', 'allow AlreadyReserved']);
    expect(ledger?.spec?.reservations).toHaveLength(1);
  });

  it('[L1] that reserves nothing writes nothing', () => {
    const none = decideBatch(webWorld(0), ns, [request('web-0'), request('free'), request('web-9')], now);
    expect(none.verdicts.map((verdict) => verdict.result)).toEqual(['deny', 'allow', 'deny']);
    expect(none).not.toHaveProperty('ledger');
    expect(decideBatch(webWorld(0), ns, [], now)).toEqual({ verdicts: [], released: [], confirm: false });
  });

  describe('whose ledger holds what was seen to go', () => {
    const gone = aReservation('web-3');
    const judged = (pod: PodBuilder, ledger = aLedger([gone])) => {
      const world = webWorld(2);
      world.upsertPod(pod.labels({ app: 'web' }).build());
      world.setLedger(ns, ledger);
      return decideBatch(world, ns, [request('web-0')], now);
    };
    const left = ({ ledger }: BatchOutcome) => ledger?.spec?.reservations?.map(({ pod }) => pod);

    it('[L1] [I9] takes it out by the same write, and says so', () => {
      const outcome = judged(aPod('web-3').version('98').terminating());
      expect(left(outcome)).toEqual(['web-0']);
      expect(outcome.released).toEqual([{ reservation: gone, why: 'terminating' }]);
    });

    it('[L2] asks of others to have seen that pod, and nothing newer', () => {
      const watermark = (before?: string) =>
        judged(aPod('web-3').version('98').terminating(), aLedger([gone], before)).ledger?.spec?.watermark;
      expect(watermark()).toBe('98');
      expect(watermark('97')).toBe('98');
      expect(watermark('99')).toBe('99');
    });

    it('[I9] keeps it when its pod is alive, another one of its name, or of a version that cannot be compared', () => {
      const alive = judged(aPod('web-3').version('98'));
      const another = judged(aPod('web-3').uid('uid-next').version('98').terminating());
      const strange = judged(aPod('web-3').version('v98').terminating());
      const ahead = judged(aPod('web-3').version('101').terminating());
      for (const outcome of [alive, another, strange, ahead]) {
        expect(outcome.released).toEqual([]);
        expect(outcome.ledger?.spec).not.toHaveProperty('watermark');
      }
      expect(left(strange)).toEqual(['web-3', 'web-0']);
    });

    it('[I9] leaves a pod that is gone to the leader, who knows of which view that is true', () => {
      const world = webWorld(2);
      world.deletePod(ns, 'web-3');
      world.setLedger(ns, aLedger([gone]));
      expect(decideBatch(world, ns, [request('web-0')], now).released).toEqual([]);
    });
  });

  it('[L1] for another namespace is a mistake of the caller, and leaves no trace', () => {
    const world = webWorld(2);
    const before = answers(world);
    const stray = request('web-1', { namespace: 'elsewhere' });
    expect(() => decideBatch(world, ns, [request('web-0'), stray], now)).toThrow('elsewhere');
    expect(answers(world)).toEqual(before);
  });
});

describe('a dry run', () => {
  const operations: readonly Operation[] = ['EVICT', 'DELETE', 'UPDATE'];
  it('[I6] gets the verdict that the real request would get', () => {
    for (const spare of [0, 1]) {
      for (const operation of operations) {
        const real = ask(webWorld(spare), operation, 'web-0');
        const dry = ask(webWorld(spare), operation, 'web-0', { dryRun: true });
        expect(inShort(dry)).toBe(inShort(real));
        if (real.result === 'allow' && dry.result === 'allow') expect(dry.charges).toEqual(real.charges);
      }
    }
  });

  it('[I6] reserves nothing, completes nothing, and is not seen by the next request', () => {
    const world = aWorld({ pods: lwsPods('llm', 2, 1), pdbs: [aGroupPdb('llm', { app: 'llm' }, { minAvailable: 1 })] });
    const dry = ask(world, 'EVICT', 'llm-0-0', { dryRun: true });
    expect(dry).toMatchObject({ result: 'allow', effects: { complete: 'pass' } });
    expect(dry).not.toHaveProperty('effects.reserve');
    const batch = [request('llm-0-0', { dryRun: true }), request('llm-1-0'), request('llm-0-0', { dryRun: true })];
    const { verdicts, ledger } = decideBatch(world, ns, batch, now);
    expect(verdicts.map(inShort)).toEqual(['allow WithinBudget', 'allow WithinBudget', 'deny BudgetExhausted']);
    expect(ledger?.spec?.reservations?.map((one) => one.pod)).toEqual(['llm-1-0']);
  });

  it('[I6] of a whole batch writes nothing', () => {
    const batch = [request('web-0', { dryRun: true }), request('web-1', { dryRun: true })];
    expect(decideBatch(webWorld(1), ns, batch, now)).not.toHaveProperty('ledger');
  });
});

describe('a full ledger', () => {
  const others = (count: number): Reservation[] => Array.from({ length: count }, (_, i) => aReservation(`gone-${i}`));

  it('[L3] refuses what needs one more, and passes what does not', () => {
    const world = webWorld(3);
    const held = [...others(maxReservations - 2), aFirmReservation(world, 'web-1'), aReservation('web-2', 'UPDATE')];
    world.setLedger(ns, aLedger(held));
    world.upsertPod(aPod('old').labels({ app: 'web' }).terminating().build());
    expect(maxReservations).toBe(1_200);
    expect(judge(world, request('web-0'), request('web-0', { dryRun: true }))).toEqual([
      'deny LedgerFull',
      'deny LedgerFull',
    ]);
    expect(judge(world, request('web-1'), request('old'), request('free'), request('web-2'))).toEqual([
      'allow AlreadyReserved',
      'allow Terminating',
      'allow NotProtected',
      'allow WithinBudget',
    ]);
  });

  it('[L3] fills up within a batch', () => {
    const world = webWorld(3);
    world.setLedger(ns, aLedger(others(maxReservations - 1)));
    const { verdicts, ledger } = decideBatch(world, ns, [request('web-0'), request('web-1')], now);
    expect(verdicts.map(inShort)).toEqual(['allow WithinBudget', 'deny LedgerFull']);
    expect(ledger?.spec?.reservations).toHaveLength(maxReservations);
  });

  it('[L3] does not hide what the budgets refuse', () => {
    const world = webWorld(0);
    world.setLedger(ns, aLedger(others(maxReservations)));
    expect(judge(world, request('web-0'))).toEqual(['deny BudgetExhausted']);
  });
});

describe('what a reservation covers', () => {
  it('[L5] an overdue reservation covers nothing, its pod stays uncounted, and a new one replaces it', () => {
    const world = webWorld(1);
    const since = new Date(now).toISOString();
    const overdue = { phase: 'closed', by: 'a', since, podsVersion: '80' } as const;
    world.setLedger(ns, aLedger([aReservation('web-0', 'EVICT', { overdue })]));
    expect(budgetNumbers(world, web, now)).toMatchObject({ available: 3 });
    expect(inShort(ask(world, 'EVICT', 'web-1'))).toBe('deny BudgetExhausted');
    const { verdicts, ledger } = decideBatch(world, ns, [request('web-0')], now);
    expect(verdicts[0]).toMatchObject({ reason: 'WithinBudget', charges: [{ effect: 'breaks', available: 4 }] });
    expect(ledger?.spec?.reservations).toHaveLength(1);
    expect(ledger?.spec?.reservations?.[0]).not.toHaveProperty('overdue');
    expect(ledger?.spec?.reservations?.[0]?.time).toBe(new Date(now).toISOString());
  });
});

describe('a verdict that rests on a reservation', () => {
  const reserved = (): World => {
    const world = webWorld(2);
    reserveIn(world, 'web-0');
    return world;
  };

  it('[L6] must be confirmed by a read when its batch writes nothing', () => {
    expect(ask(reserved(), 'EVICT', 'web-0')).toMatchObject({ reason: 'AlreadyReserved', effects: { confirm: true } });
    for (const more of [{}, { dryRun: true }, { operation: 'DELETE' as const }]) {
      const outcome = decideBatch(reserved(), ns, [request('free'), request('web-0', more)], now);
      expect(outcome).toMatchObject({ confirm: true });
      expect(outcome).not.toHaveProperty('ledger');
    }
  });

  it('[L6] is confirmed by the write of its batch, upon the ledger that has the reservation', () => {
    const outcome = decideBatch(reserved(), ns, [request('web-0'), request('web-1')], now);
    expect(outcome.verdicts.map(inShort)).toEqual(['allow AlreadyReserved', 'allow WithinBudget']);
    expect(outcome.confirm).toBe(false);
    expect(outcome.ledger?.spec?.reservations?.map((one) => one.pod)).toEqual(['web-0', 'web-1']);
    expect(outcome.ledger?.metadata.resourceVersion).toBe('1');
  });

  it('[L6] is another one when the ledger has lost the reservation meanwhile', () => {
    const world = webWorld(0);
    reserveIn(world, 'web-0');
    expect(judge(world, request('web-0'))).toEqual(['allow AlreadyReserved']);
    world.setLedger(ns, aLedger([], undefined, '2'));
    expect(judge(world, request('web-0'))).toEqual(['deny BudgetExhausted']);
  });

  it('[L6] what rests on no reservation needs no confirmation', () => {
    const world = reserved();
    const old = aPod('old').labels({ app: 'web' }).terminating();
    world.upsertPod(old.build());
    world.upsertPub(pubFor('web', { minAvailable: 3 }));
    const outcome = decideBatch(world, ns, [request('free'), request('old'), request('web-1')], now);
    expect(outcome.verdicts.map(inShort)).toEqual(['allow NotProtected', 'allow Terminating', 'deny BudgetExhausted']);
    expect(outcome.confirm).toBe(false);
  });
});

describe('the way of a reservation', () => {
  const reserved = (more: Partial<Reservation> = {}): World => {
    const world = webWorld(1);
    world.setLedger(ns, aLedger([aReservation('web-0', 'EVICT', { time: new Date(now).toISOString(), ...more })]));
    return world;
  };

  it('[I9] ends when the pod is seen to go, and not because time passes', () => {
    const world = reserved();
    expect(prune(world, ns, now + 1_000, leader)).toMatchObject({ released: [] });
    expect(prune(world, ns, now + 1_000_000, leader)).toMatchObject({ released: [] });
    world.deletePod(ns, 'web-0');
    expect(prune(world, ns, now + 1_000, leader).released).toMatchObject([{ why: 'gone' }]);
  });

  it('[L2] leaves a watermark: a replica that has not seen so much yet does not judge by the ledger', () => {
    const world = reserved();
    world.deletePod(ns, 'web-0');
    world.setSynced('pods', '140');
    const { ledger } = prune(world, ns, now, leader);
    expect(ledger?.spec?.watermark).toBe('140');
    const behind = webWorld(1);
    behind.setLedger(ns, ledger ?? aLedger());
    expect(inShort(ask(behind, 'EVICT', 'web-1'))).toBe('deny CacheStale');
    behind.setSynced('pods', '140');
    expect(inShort(ask(behind, 'EVICT', 'web-1'))).toBe('allow WithinBudget');
  });

  it('[L2] leaves no watermark that only a bookmark reaches: others get theirs up to a minute later', () => {
    const world = reserved();
    world.deletePod(ns, 'web-0');
    world.setSynced('pods', '140');
    world.setUnchanged('pods', '190');
    const { released, ledger } = prune(world, ns, now, leader);
    expect(released).toMatchObject([{ why: 'gone' }]);
    const other = webWorld(1);
    other.setLedger(ns, ledger ?? aLedger());
    other.deletePod(ns, 'web-0');
    other.setSynced('pods', '140');
    expect(inShort(ask(other, 'EVICT', 'web-1'))).toBe('deny BudgetExhausted');
  });

  it('[L4] has 120 seconds for removals, 20 for updates, and then 35 for what is under way', () => {
    expect(defaultTimeLimits).toEqual({ removalSeconds: 120, updateSeconds: 20, inFlightSeconds: 35 });
    for (const [operation, seconds] of [
      ['EVICT', 120],
      ['DELETE', 120],
      ['UPDATE', 20],
      ['RESIZE', 20],
    ] as const) {
      const world = reserved({ operation });
      expect(prune(world, ns, now + seconds * 1_000 - 1, leader)).not.toHaveProperty('ledger');
      const { ledger } = prune(world, ns, now + seconds * 1_000, leader);
      expect(ledger?.spec?.reservations?.[0]?.overdue).toEqual({
        phase: 'waiting',
        by: 'a',
        since: new Date(now + seconds * 1_000).toISOString(),
      });
    }
  });
});
