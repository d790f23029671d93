import { describe, expect, it } from 'vitest';
import { ask, aWorld, inShort } from '../../../../test/support/a-world.ts';
import { aLedger, anOwner, aPdb, aPod, aPub, ns } from '../../../../test/support/builders.ts';
import { groupIndex, lwsPods, podsOf, pubFor } from '../../../../test/support/fleet.ts';
import { maxJudges, type Reservation } from '../../src/api/ledger.ts';
import type { PodDisruptionBudget } from '../../src/api/pdb.ts';
import type { PodUnavailableBudget } from '../../src/api/pub/pub.ts';
import { decideBatch } from '../../src/core/ledger/batch.ts';
import type { DisruptionRequest, Operation } from '../../src/core/request.ts';
import type { World } from '../../src/core/world/world.ts';

const now = 0;

/** Admits a disruption as a replica does: judged, and its reservation written. */
function reserve(
  world: World,
  pod: string,
  operation: Operation = 'EVICT',
  more: Partial<DisruptionRequest> = {},
): World {
  const { ledger } = decideBatch(world, ns, [{ operation, namespace: ns, pod, ...more }], now);
  if (ledger === undefined) throw new Error(`${operation} of ${pod} was not reserved`);
  world.setLedger(ns, ledger);
  return world;
}

const owner = anOwner('StatefulSet', 'web', 4);
const budget = (maxUnavailable: number, name = 'web') => withUid(pubFor('web', { maxUnavailable }, name), 'pub-1');

function withUid<T extends PodUnavailableBudget | PodDisruptionBudget>(object: T, uid: string): T {
  return { ...object, metadata: { ...object.metadata, uid } };
}

function webWorld(...pubs: readonly PodUnavailableBudget[]): World {
  return aWorld({ pods: podsOf('web', 4, owner), pubs, owners: [owner] });
}

/** The reservation of `web-0` as another version of the operator, or a person, might have written it. */
function rewritten(world: World, change: Partial<Reservation>): World {
  const ledger = world.namespace(ns)?.ledger ?? aLedger();
  const reservations = (ledger.spec?.reservations ?? []).map((one) => ({ ...one, ...change }));
  world.setLedger(ns, { ...ledger, spec: { ...ledger.spec, reservations } });
  return world;
}

const evict = (world: World, pod = 'web-0') => inShort(ask(world, 'EVICT', pod));

describe('a reservation and the budgets that judged it', () => {
  it('[I14] answers a repeated request while they are the same', () => {
    const world = reserve(webWorld(budget(1)), 'web-0');
    expect(evict(world)).toBe('allow AlreadyReserved');
    expect(inShort(ask(world, 'DELETE', 'web-0'))).toBe('allow AlreadyReserved');
    world.upsertPub({ ...budget(1), status: { disruptedPods: { 'web-0': '2026-03-01T12:00:00Z' } } });
    expect(evict(world)).toBe('allow AlreadyReserved');
  });

  it('[I14] does not let a pod go that a budget froze meanwhile', () => {
    const world = reserve(webWorld(budget(1)), 'web-0');
    world.upsertPub(budget(0));
    expect(evict(world)).toBe('deny BudgetExhausted');
  });

  it('[I14] is judged again, and allowed, when the budget was changed and has room', () => {
    const world = reserve(webWorld(budget(1)), 'web-0');
    world.upsertPub(budget(2));
    expect(evict(world)).toBe('allow WithinBudget');
    expect(evict(reserve(world, 'web-0'))).toBe('allow AlreadyReserved');
    expect(world.namespace(ns)?.reservations.size).toBe(1);
  });

  it('[I14] keeps its pod out of the count, whatever is said about it now', () => {
    const world = reserve(webWorld(budget(1)), 'web-0');
    world.upsertPub(withUid(budget(1, 'other'), 'pub-2'));
    // Judged as if it were not reserved, which must leave no trace for the others.
    expect(evict(world)).toBe('allow WithinBudget');
    expect(evict(world, 'web-1')).toBe('deny BudgetExhausted,BudgetExhausted');
  });

  it('[I14] does not speak for a budget that came later', () => {
    const world = reserve(webWorld(budget(1)), 'web-0');
    world.upsertPub(pubFor('web', { maxUnavailable: 0 }, 'freeze'));
    expect(evict(world)).toBe('deny BudgetExhausted');
  });

  it('[I14] does not speak for a budget of the same name and rules that is another object', () => {
    const world = reserve(webWorld(budget(1)), 'web-0');
    world.upsertPub(withUid(budget(1), 'pub-2'));
    expect(evict(world)).toBe('allow WithinBudget');
  });

  it('[I14] counts the annotations of a budget among its rules', () => {
    const world = reserve(webWorld(budget(1)), 'web-0');
    const annotated = budget(1);
    world.upsertPub({ ...annotated, metadata: { ...annotated.metadata, annotations: { note: 'changed' } } });
    expect(evict(world)).toBe('allow WithinBudget');
  });

  it('[I14] still answers when one of the budgets has gone', () => {
    const world = reserve(webWorld(budget(1), withUid(pubFor('web', { maxUnavailable: 1 }, 'b'), 'b')), 'web-0');
    world.deletePub(ns, 'b');
    expect(evict(world)).toBe('allow AlreadyReserved');
  });

  it('[I14] was judged by fewer budgets for one operation than for another', () => {
    const onlyDelete = aPub('deletes', {
      selector: { matchLabels: { app: 'web' } },
      maxUnavailable: 0,
      protectOperations: ['DELETE'],
    });
    const world = reserve(webWorld(budget(1), onlyDelete), 'web-0');
    expect(evict(world)).toBe('allow AlreadyReserved');
    expect(inShort(ask(world, 'DELETE', 'web-0'))).toBe('deny BudgetExhausted');
  });

  it('[I14] speaks for PodDisruptionBudgets, with the annotations that they are read by', () => {
    const pods = podsOf('web', 4, owner).map((pod, i) => pod.labels({ app: 'web', shard: String(i % 2) }));
    const pdb = (minimum: string) =>
      aPdb(
        'web',
        { app: 'web' },
        { minAvailable: 1 },
        {
          'holdfast.dev/budget-scope': 'PodGroup',
          'holdfast.dev/group-label': 'shard',
          'holdfast.dev/group-min-available': minimum,
        },
      );
    const world = reserve(aWorld({ pods, pdbs: [pdb('2')], owners: [owner] }), 'web-0');
    expect(evict(world)).toBe('allow AlreadyReserved');
    world.upsertPdb(pdb('all'));
    expect(evict(world)).toBe('allow WithinBudget');
  });

  it('[I14] does not let a pod go whose probe says no by now', () => {
    const probed = (answer: 'True' | 'False') =>
      aPod('web-0').labels({ app: 'web' }).ownedBy(owner).probed(answer).on('n1');
    const pods = [probed('True'), ...podsOf('web', 4, owner).slice(1)];
    const world = reserve(aWorld({ pods, pubs: [budget(1)], owners: [owner], freshNodes: ['n1'] }), 'web-0');
    expect(evict(world)).toBe('allow AlreadyReserved');
    world.upsertPod(probed('False').build());
    expect(evict(world)).toBe('deny ProbeVeto');
  });

  it('[I14] does not let a pod go of whose group another pod says no by now', () => {
    const set = anOwner('LeaderWorkerSet', 'llm', 3);
    const probed = (answer: 'True' | 'False') => lwsPods('llm', 3, 2).map((pod) => pod.probed(answer).on('n1'));
    const policy = { groupLabelKey: groupIndex, minReadyReplicas: 2 };
    const pub = withUid(pubFor('llm', { maxUnavailable: 1, podGroupPolicy: policy }), 'pub-2');
    const world = aWorld({ pods: probed('True'), pubs: [pub], owners: [set], freshNodes: ['n1'] });
    reserve(world, 'llm-0-0');
    expect(evict(world, 'llm-0-0')).toBe('allow AlreadyReserved');
    const sibling = probed('False')[1];
    if (sibling !== undefined) world.upsertPod(sibling.build());
    expect(evict(world, 'llm-0-0')).toBe('deny UnitWithheld');
  });

  it('[I14] does not let such a pod go where only one of its budgets counts the group', () => {
    const set = anOwner('LeaderWorkerSet', 'llm', 3);
    const probed = (answer: 'True' | 'False') => lwsPods('llm', 3, 2).map((pod) => pod.probed(answer).on('n1'));
    const policy = { groupLabelKey: groupIndex, minReadyReplicas: 2 };
    const pubs = [
      withUid(pubFor('llm', { maxUnavailable: 1, podGroupPolicy: policy }, 'groups'), 'pub-1'),
      withUid(pubFor('llm', { minAvailable: 1 }, 'pods'), 'pub-2'),
    ];
    const world = aWorld({ pods: probed('True'), pubs, owners: [set], freshNodes: ['n1'] });
    reserve(world, 'llm-0-0');
    expect(evict(world, 'llm-0-0')).toBe('allow AlreadyReserved');
    const sibling = probed('False')[1];
    if (sibling !== undefined) world.upsertPod(sibling.build());
    expect(evict(world, 'llm-0-0')).toBe('deny UnitWithheld');
  });

  it('[I14] of an older version, which does not say what it was judged by, speaks for none', () => {
    const world = reserve(webWorld(budget(1)), 'web-0');
    const ledger = world.namespace(ns)?.ledger;
    const reservations = (ledger?.spec?.reservations ?? []).map(({ judgedBy: _, ...older }) => older);
    world.setLedger(ns, { ...ledger, metadata: ledger?.metadata ?? { name: 'default' }, spec: { reservations } });
    expect(evict(world)).toBe('allow WithinBudget');
  });

  it('[I14] refuses what is not observed yet, as for any other request', () => {
    const world = reserve(webWorld(budget(1)), 'web-0');
    const edited = budget(2);
    world.upsertPub({ ...edited, metadata: { ...edited.metadata, generation: 2 }, status: { observedGeneration: 1 } });
    expect(evict(world)).toBe('deny BudgetNotObserved');
  });

  it('[I14] stays a removal when the pod is reserved for an update after the budget changed', () => {
    const world = reserve(webWorld(budget(1)), 'web-0');
    world.upsertPub(budget(2));
    reserve(world, 'web-0', 'UPDATE');
    expect(world.namespace(ns)?.ledger?.spec?.reservations).toMatchObject([{ pod: 'web-0', operation: 'EVICT' }]);
    expect(inShort(ask(world, 'UPDATE', 'web-0'))).toBe('allow WithinBudget');
  });

  it('[I14] of a pod under more budgets than it can record covers nothing', () => {
    const many = Array.from({ length: maxJudges + 1 }, (_, i) =>
      withUid(pubFor('web', { maxUnavailable: 1 }, `web-${i}`), `uid-${i}`),
    );
    const few = many.slice(0, maxJudges);
    expect(evict(reserve(webWorld(...few), 'web-0'))).toBe('allow AlreadyReserved');
    expect(evict(reserve(webWorld(...many), 'web-0'))).toBe('allow WithinBudget');
  });

  it('[I14] of a pod under more budgets than it can record answers nothing either when there are fewer', () => {
    const many = Array.from({ length: maxJudges + 1 }, (_, i) =>
      withUid(pubFor('web', { maxUnavailable: 1 }, `web-${i}`), `uid-${i}`),
    );
    const world = reserve(webWorld(...many), 'web-0');
    world.deletePub(ns, `web-${maxJudges}`);
    expect(evict(world)).toBe('allow WithinBudget');
  });

  it.each([
    ['whose limit passed', { overdue: { phase: 'waiting', by: 'a', since: '2026-03-01T12:00:00Z' } }],
    ['that rests on a condition', { conditional: true }],
  ] as const)('[I14] [L5] %s answers nothing, whatever it was judged by', (_title, change) => {
    expect(evict(rewritten(reserve(webWorld(budget(1)), 'web-0'), change))).toBe('allow WithinBudget');
  });

  it('[I14] on a condition does not record what it was judged by', () => {
    const pods = podsOf('web', 4, owner).map((pod, i) => (i === 0 ? pod.notReady() : pod));
    const world = reserve(aWorld({ pods, pubs: [budget(1)], owners: [owner] }), 'web-0');
    const [reservation] = world.namespace(ns)?.ledger?.spec?.reservations ?? [];
    expect(reservation).toMatchObject({ conditional: true });
    expect(reservation).not.toHaveProperty('judgedBy');
  });

  it('[I14] for an update keeps what it was judged by when it covers another update', () => {
    const change = (restarts: readonly string[]) => {
      const about = { resourceVersion: '10', generation: 1, runs: [], kind: 'spec', restarts } as const;
      return { change: about };
    };
    const world = reserve(webWorld(budget(1)), 'web-0', 'UPDATE', change(['app']));
    expect(inShort(ask(world, 'UPDATE', 'web-0', change(['app'])))).toBe('allow AlreadyReserved');
    reserve(world, 'web-0', 'UPDATE', change(['proxy']));
    expect(inShort(ask(world, 'UPDATE', 'web-0', change(['proxy'])))).toBe('allow AlreadyReserved');
    world.upsertPub(budget(0));
    expect(inShort(ask(world, 'UPDATE', 'web-0', change(['proxy'])))).toBe('deny BudgetExhausted');
  });

  it('[I14] for an update does not answer a removal, whatever it was judged by', () => {
    const world = reserve(webWorld(budget(1)), 'web-0', 'UPDATE');
    expect(inShort(ask(world, 'UPDATE', 'web-0'))).toBe('allow AlreadyReserved');
    expect(inShort(ask(world, 'DELETE', 'web-0'))).toBe('allow WithinBudget');
  });

  it('[I14] need not have been judged by what only the built-in check asks', () => {
    const deletes = withUid(
      aPub('deletes', {
        selector: { matchLabels: { app: 'web' } },
        maxUnavailable: 1,
        protectOperations: ['DELETE'],
      }),
      'pub-1',
    );
    const plain = aPdb('plain', { app: 'web' }, { minAvailable: 1 });
    const world = aWorld({ pods: podsOf('web', 4, owner), pubs: [deletes], pdbs: [plain], owners: [owner] });
    reserve(world, 'web-0', 'DELETE');
    expect(inShort(ask(world, 'EVICT', 'web-0', {}, { judgePlain: true }))).toBe('allow AlreadyReserved');
  });

  it.each([
    ['is another object', { uid: 'pdb-2' }],
    ['turned takeovers off', { annotations: { 'holdfast.dev/takeover': 'disabled' } }],
    ['has another label for groups', { annotations: { 'holdfast.dev/group-label': 'app' } }],
  ] as const)('[I14] does not speak for a PodDisruptionBudget that %s by now', (_title, change) => {
    const scope = { 'holdfast.dev/budget-scope': 'PodGroup', 'holdfast.dev/group-label': 'shard' };
    const pdb = withUid(aPdb('web', { app: 'web' }, { minAvailable: 1 }, scope), 'pdb-1');
    const pods = podsOf('web', 4, owner).map((pod, i) => pod.labels({ app: 'web', shard: String(i % 2) }));
    const world = reserve(aWorld({ pods, pdbs: [pdb], owners: [owner] }), 'web-0');
    expect(evict(world)).toBe('allow AlreadyReserved');
    const { annotations, ...more } = { annotations: undefined, ...change };
    const changed = annotations === undefined ? scope : { ...scope, ...annotations };
    world.upsertPdb({ ...pdb, metadata: { ...pdb.metadata, ...more, annotations: changed } });
    expect(evict(world)).not.toBe('allow AlreadyReserved');
  });
});
