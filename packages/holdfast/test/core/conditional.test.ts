import { describe, expect, it } from 'vitest';
import { ask, aWorld, blockersOf, inShort, pubNumbers } from '../../../../test/support/a-world.ts';
import { aGroupPdb, aLedger, aReservation, ns, type PodBuilder } from '../../../../test/support/builders.ts';
import { aFirmReservation, groupIndex, lwsPods, pubFor } from '../../../../test/support/fleet.ts';
import { table } from '../../../../test/support/table.ts';
import type { Reservation } from '../../src/api/ledger.ts';
import { simulateDrain } from '../../src/core/drain/simulate.ts';
import { decideBatch } from '../../src/core/ledger/batch.ts';
import { withdraw } from '../../src/core/ledger/prune.ts';
import type { World } from '../../src/core/world/world.ts';

interface Shape {
  readonly size: number;
  readonly minimum: number;
  /** Of three groups. */
  readonly desired: number;
  readonly byPdb?: boolean;
}

const pairs: Shape = { size: 2, minimum: 2, desired: 2 };

/** Three groups; `change` says how single pods differ. */
function llm({ size, minimum, desired, byPdb }: Shape, change: Readonly<Record<string, Change>> = {}): World {
  const pods = lwsPods('llm', 3, size).map((pod) => change[pod.build().metadata.name]?.(pod) ?? pod);
  if (byPdb === true) return aWorld({ pods, pdbs: [aGroupPdb('llm', { app: 'llm' }, { minAvailable: desired })] });
  const podGroupPolicy = { groupLabelKey: groupIndex, minReadyReplicas: minimum };
  return aWorld({ pods, pubs: [pubFor('llm', { minAvailable: desired, podGroupPolicy })] });
}

type Change = (pod: PodBuilder) => PodBuilder;
const down: Change = (pod) => pod.notReady();
const going: Change = (pod) => pod.terminating();

function holding(world: World, ...reservations: readonly Reservation[]): World {
  world.setLedger(ns, aLedger(reservations));
  return world;
}

const onCondition = (pod: string, more: Partial<Reservation> = {}): Reservation =>
  aReservation(pod, 'EVICT', { conditional: true, ...more });

const evict = (pod: string) => ({ operation: 'EVICT', namespace: ns, pod }) as const;

function reservedBy(world: World, ...pods: readonly string[]): readonly string[] {
  const { ledger } = decideBatch(world, ns, pods.map(evict), 0);
  return (ledger?.spec?.reservations ?? []).map(({ pod, conditional }) => `${pod}${conditional === true ? '?' : ''}`);
}

describe('a reservation', () => {
  table<{ name: string; world: World; pods: readonly string[]; want: readonly string[] }>(
    [
      {
        name: '[N5] of a pod that does not serve rests on a condition',
        world: llm(pairs, { 'llm-0-1': down }),
        pods: ['llm-0-1'],
        want: ['llm-0-1?'],
      },
      {
        name: '[N5] of a pod whose group looks down because of another rests on a condition',
        world: llm(pairs, { 'llm-0-1': down }),
        pods: ['llm-0-0'],
        want: ['llm-0-0?'],
      },
      {
        name: '[N5] that was paid for, and those that follow from it, rest on none',
        world: llm(pairs),
        pods: ['llm-0-0', 'llm-0-1'],
        want: ['llm-0-0', 'llm-0-1'],
      },
      {
        name: '[N6] that follows from one on a condition rests on one, too',
        world: llm({ ...pairs, size: 3, minimum: 3 }, { 'llm-0-1': down }),
        pods: ['llm-0-0', 'llm-0-2'],
        want: ['llm-0-0?', 'llm-0-2?'],
      },
    ],
    ({ world, pods, want }) => {
      expect(reservedBy(world, ...pods)).toEqual(want);
    },
  );
});

describe('[L7] the claim of a request', () => {
  const claims = (world: World, ...requests: readonly { pod: string; claim?: string }[]) => {
    const batch = requests.map(({ pod, claim }) => ({ ...evict(pod), ...(claim === undefined ? {} : { claim }) }));
    return (decideBatch(world, ns, batch, 0).ledger?.spec?.reservations ?? []).map((one) => one.claim);
  };
  const broken = () => llm(pairs, { 'llm-0-1': down });
  const asked = { pod: 'llm-0-1', claim: 'a/1' };

  table<{ name: string; world: World; requests: readonly { pod: string; claim?: string }[]; want: unknown }>(
    [
      { name: 'is on what it reserves on a condition', world: broken(), requests: [asked], want: ['a/1'] },
      { name: 'is on what was paid for', world: llm(pairs), requests: [asked], want: ['a/1'] },
      {
        name: 'is taken off by another request that the reservation answers',
        world: llm(pairs),
        requests: [asked, { pod: 'llm-0-1', claim: 'a/2' }],
        want: [undefined],
      },
      {
        name: 'stays on what answers the same request again',
        world: llm(pairs),
        requests: [asked, asked],
        want: ['a/1'],
      },
      { name: 'is missing where there is none', world: broken(), requests: [{ pod: 'llm-0-1' }], want: [undefined] },
      {
        name: 'is not on what others may rest on',
        world: holding(broken(), onCondition('llm-0-1')),
        requests: [asked],
        want: [undefined],
      },
      {
        name: 'does not take the place of another',
        world: holding(broken(), onCondition('llm-0-1', { claim: 'b/7' })),
        requests: [asked],
        want: [undefined],
      },
      {
        name: 'stays on what it had reserved before',
        world: holding(broken(), onCondition('llm-0-1', { claim: 'a/1' })),
        requests: [asked],
        want: ['a/1'],
      },
      {
        name: 'is gone when another request of the same batch is about the same pod',
        world: broken(),
        requests: [asked, { pod: 'llm-0-1', claim: 'a/2' }],
        want: [undefined],
      },
    ],
    ({ world, requests, want }) => expect(claims(world, ...requests)).toEqual(want),
  );

  it('takes back what it is on, and nothing else', () => {
    const others = [onCondition('llm-0-0', { claim: 'b/1' }), onCondition('llm-1-0'), aReservation('llm-2-0')];
    const ledger = aLedger([onCondition('llm-0-1', { claim: 'a/1' }), ...others], '120', '7');
    expect(withdraw(ledger, new Set(['a/1', 'a/2']))).toEqual(aLedger(others, '120', '7'));
    expect(withdraw(ledger, new Set(['a/3']))).toBeUndefined();
  });
});

describe('a reservation on a condition', () => {
  it('[L5] does not answer the same request: it is judged again', () => {
    const recovered = holding(llm({ ...pairs, desired: 3 }), onCondition('llm-0-0'));
    expect(inShort(ask(recovered, 'EVICT', 'llm-0-0'))).toBe('deny BudgetExhausted');
    const stillDown = holding(llm({ ...pairs, desired: 3 }, { 'llm-0-1': down }), onCondition('llm-0-0'));
    expect(ask(stillDown, 'EVICT', 'llm-0-0')).toMatchObject({
      reason: 'WithinBudget',
      effects: { restsOn: [{ pod: 'llm-0-1' }] },
    });
  });

  it('[L5] does not answer it within its own batch either', () => {
    const { verdicts, ledger } = decideBatch(
      llm(pairs, { 'llm-0-1': down }),
      ns,
      [evict('llm-0-1'), evict('llm-0-1')],
      0,
    );
    for (const verdict of verdicts) {
      expect(verdict).toMatchObject({ reason: 'WithinBudget', effects: { onlyIf: { pod: 'llm-0-1' } } });
    }
    expect(ledger?.spec?.reservations).toHaveLength(1);
  });

  it('[L5] is replaced by one that is paid for, which then answers', () => {
    const world = holding(llm(pairs), onCondition('llm-0-0', { overdue: { phase: 'closed', by: 'a', since: '' } }));
    expect(reservedBy(world, 'llm-0-0')).toEqual(['llm-0-0']);
    holding(world, aFirmReservation(world, 'llm-0-0'));
    expect(inShort(ask(world, 'EVICT', 'llm-0-0'))).toBe('allow AlreadyReserved');
    expect(inShort(ask(world, 'EVICT', 'llm-0-1'))).toBe('allow WithinBudget');
  });

  it('[N1] [N6] makes its pod gone for all other units', () => {
    const world = holding(llm(pairs), onCondition('llm-0-0'));
    expect(pubNumbers(world, 'llm')).toMatchObject({ available: 2 });
    expect(blockersOf(ask(world, 'EVICT', 'llm-1-0'))).toMatchObject([{ code: 'BudgetExhausted', available: 2 }]);
  });
});

describe('a unit that only reservations on a condition bring down', () => {
  const budgets: readonly { by: string; byPdb: boolean }[] = [
    { by: 'PodUnavailableBudget', byPdb: false },
    { by: 'PodDisruptionBudget', byPdb: true },
  ];
  for (const { by, byPdb } of budgets) {
    it(`[N6] [I1] is not down for its other pods: breaking it costs one (${by})`, () => {
      const spare = holding(llm({ ...pairs, byPdb }), onCondition('llm-0-0'));
      const verdict = ask(spare, 'EVICT', 'llm-0-1');
      expect(verdict).toMatchObject({ result: 'allow', charges: [{ effect: 'breaks', available: 3, desired: 2 }] });
      expect(verdict).not.toHaveProperty('effects.onlyIf');
      expect(verdict).not.toHaveProperty('effects.restsOn');
      expect(reservedBy(spare, 'llm-0-1')).toEqual(['llm-0-0?', 'llm-0-1']);
    });

    it(`[N6] [I1] is refused where there is none to spare, with the pod that is waited for (${by})`, () => {
      const [refused, ...more] = blockersOf(
        ask(holding(llm({ ...pairs, desired: 3, byPdb }), onCondition('llm-0-0')), 'EVICT', 'llm-0-1'),
      );
      expect(more).toEqual([]);
      expect(refused).toMatchObject({ code: 'DisruptionUnproven', unitKind: 'group', available: 3, desired: 3 });
      expect(refused?.message).toContain('whether llm-0-0 will be deleted');
    });
  }

  it('[N6] names one such pod, and how many more there are', () => {
    const world = llm({ size: 4, minimum: 4, desired: 3 });
    holding(world, onCondition('llm-0-0'), onCondition('llm-0-1'), onCondition('llm-0-2'));
    expect(blockersOf(ask(world, 'EVICT', 'llm-0-3'))[0]?.message).toContain(
      'whether llm-0-0 (and 2 more) will be deleted',
    );
  });

  table<{ name: string; change: Change }>(
    [
      { name: 'terminating', change: going },
      { name: 'finished', change: (pod: PodBuilder) => pod.phase('Failed').notReady() },
      { name: 'replaced by another that is not ready', change: (pod: PodBuilder) => pod.uid('uid-next').notReady() },
    ].map((row) => ({ ...row, name: `[N6] is down as soon as the pod is seen ${row.name}` })),
    ({ change }) => {
      const world = holding(llm({ ...pairs, desired: 3 }, { 'llm-0-0': change }), onCondition('llm-0-0'));
      expect(ask(world, 'EVICT', 'llm-0-1')).toMatchObject({ result: 'allow', charges: [{ effect: 'down' }] });
    },
  );

  it('[N6] is down as soon as the pod is seen to be gone', () => {
    const world = holding(llm({ ...pairs, desired: 3 }), onCondition('llm-0-0'));
    world.deletePod(ns, 'llm-0-0');
    expect(ask(world, 'EVICT', 'llm-0-1')).toMatchObject({ result: 'allow', charges: [{ effect: 'down' }] });
  });

  it('[N6] serves without those pods or not at all: they make no other pod surplus', () => {
    const world = holding(llm({ size: 3, minimum: 2, desired: 3 }), onCondition('llm-0-0'));
    expect(blockersOf(ask(world, 'EVICT', 'llm-0-1'))).toMatchObject([{ code: 'BudgetExhausted', available: 3 }]);
  });
});

describe('a unit that is down whatever becomes of them', () => {
  const trios: Shape = { size: 3, minimum: 3, desired: 3 };

  it('[N6] is free for its other pods, on the same condition', () => {
    const world = holding(llm(trios, { 'llm-0-1': down }), onCondition('llm-0-0'));
    expect(ask(world, 'EVICT', 'llm-0-2')).toMatchObject({
      charges: [{ effect: 'down', available: 2 }],
      effects: { restsOn: [{ pod: 'llm-0-1' }] },
    });
  });

  it('[N6] is free on the condition that the reserved pod itself is still down', () => {
    const world = holding(llm(trios, { 'llm-0-0': down }), onCondition('llm-0-0'));
    expect(ask(world, 'EVICT', 'llm-0-2')).toMatchObject({ effects: { restsOn: [{ pod: 'llm-0-0' }] } });
  });

  it('[N6] is free on no condition where even with them too few pods are left', () => {
    const world = holding(llm(trios), onCondition('llm-0-0'), aReservation('llm-0-1'));
    const verdict = ask(world, 'EVICT', 'llm-0-2');
    expect(verdict).toMatchObject({ result: 'allow', charges: [{ effect: 'down' }] });
    expect(verdict).not.toHaveProperty('effects.restsOn');
  });
});

describe('a pod that does not serve', () => {
  it('[N6] breaks no unit that is in doubt, and goes on the condition of its own version', () => {
    const world = llm({ size: 3, minimum: 2, desired: 3 }, { 'llm-0-2': down });
    holding(world, onCondition('llm-0-0'));
    const verdict = ask(world, 'EVICT', 'llm-0-2');
    expect(verdict).toMatchObject({ charges: [{ effect: 'down' }], effects: { onlyIf: { pod: 'llm-0-2' } } });
    expect(verdict).not.toHaveProperty('effects.restsOn');
  });

  it('[N6] [I10] is not beyond help while a pod that may stay would make its group serve', () => {
    const vetoing: Change = (pod) => pod.probed('False');
    const world = (first: Reservation) => holding(llm(pairs, { 'llm-0-1': vetoing }), first);
    expect(inShort(ask(world(onCondition('llm-0-0')), 'DELETE', 'llm-0-1'))).toBe('deny ProbeVeto,UnitWithheld');
    expect(inShort(ask(world(aReservation('llm-0-0')), 'DELETE', 'llm-0-1'))).toBe('allow WithinBudget');
  });
});

describe('a simulated drain', () => {
  it('[M1] takes a pod that is reserved on a condition for gone once it is its turn', () => {
    const world = holding(llm(pairs), onCondition('llm-0-0'));
    const before = [...(world.namespace(ns)?.reservations.values() ?? [])];
    const pods = ['llm-0-0', 'llm-0-1'].map((name) => ({ namespace: ns, name }));
    const { rounds } = simulateDrain(world, pods, 0);
    expect(rounds.map((round) => round.map(({ charges }) => charges[0]?.effect))).toEqual([['breaks', 'down']]);
    expect([...(world.namespace(ns)?.reservations.values() ?? [])]).toEqual(before);
  });
});
