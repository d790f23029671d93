import { describe, expect, it } from 'vitest';
import { ask, aWorld } from '../../../../test/support/a-world.ts';
import { aGroupPdb, aLedger, anOwner, aPdb, aPod, aPub, aReservation, ns } from '../../../../test/support/builders.ts';
import { groupIndex, lwsPods, podsOf, pubFor } from '../../../../test/support/fleet.ts';
import { table } from '../../../../test/support/table.ts';
import { maxReservations } from '../../src/api/ledger.ts';
import { annotation } from '../../src/api/names.ts';
import { type RefusalCode, refusalCodes } from '../../src/api/refusals/reasons.ts';
import { refusalOf } from '../../src/core/decide/refusal.ts';
import type { Blocker, Denied, Verdict } from '../../src/core/verdict.ts';
import { World } from '../../src/core/world/world.ts';
import { ledgerBusy, notPinned } from '../../src/operator/admission/answers.ts';

function denied(verdict: Verdict): Denied {
  if (verdict.result === 'allow') throw new Error(`allowed: ${verdict.reason}`);
  return verdict;
}

interface Case {
  readonly ask: () => Verdict;
  /** What the message must say: names and numbers. */
  readonly says: readonly string[];
  /** What the line that helps must say. */
  readonly helps?: readonly string[];
  readonly want?: Partial<Blocker>;
}

const db = aPod('db').labels({ app: 'db' });
const lwsPolicy = { groupLabelKey: groupIndex, minReadyReplicas: 2 };
const pub = (name: string) => ({ kind: 'PodUnavailableBudget', namespace: ns, name }) as const;
const pdb = (name: string) => ({ kind: 'PodDisruptionBudget', namespace: ns, name }) as const;

const cases: Readonly<Record<RefusalCode, Case>> = {
  BudgetExhausted: {
    ask: () => {
      const lws = anOwner('LeaderWorkerSet', 'llm', 5);
      const pubs = [pubFor('llm', { minAvailable: 3, podGroupPolicy: lwsPolicy })];
      return ask(aWorld({ pods: lwsPods('llm', 3, 2), owners: [lws], pubs }), 'EVICT', 'llm-1-0');
    },
    says: ['PUB llm', '3 available groups', 'has 3 of 5', 'llm-1-0', 'group 1', 'leaves 2'],
    helps: ['wait until 1 more group is available'],
    want: {
      budget: pub('llm'),
      outlook: 'wait',
      unit: '1',
      unitKind: 'group',
      available: 3,
      desired: 3,
      expected: 5,
      source: 'scale',
    },
  },
  UnhealthyRefused: {
    ask: () => {
      const pods = [...podsOf('db', 3).map((pod) => pod.probed('True')), db.notReady()];
      const pdbs = [aPdb('db', { app: 'db' }, { minAvailable: 5 })];
      return ask(aWorld({ pods, pdbs, freshNodes: ['node-1'] }), 'EVICT', 'db');
    },
    says: [
      'PDB db',
      '5 available pods',
      'can have at most 4',
      '3 available now',
      'waiting does not help',
      'pod db is already down',
    ],
    helps: ['add 2 pods', 'lower minAvailable', 'AlwaysAllow'],
    want: { budget: pdb('db'), unit: 'db', unitKind: 'pod', available: 3, desired: 5 },
  },
  DisruptionUnproven: {
    ask: () => {
      const lws = anOwner('LeaderWorkerSet', 'llm', 2);
      const pubs = [pubFor('llm', { minAvailable: 2, podGroupPolicy: lwsPolicy })];
      const world = aWorld({ pods: lwsPods('llm', 2, 2), owners: [lws], pubs });
      world.setLedger(ns, aLedger([aReservation('llm-0-0', 'EVICT', { conditional: true })]));
      return ask(world, 'EVICT', 'llm-0-1');
    },
    says: ['llm', '2 available groups', 'has 2 of 2', 'whether llm-0-0 will be deleted', 'llm-0-1', 'group 0'],
    helps: ['retry in a minute', 'llm-0-0'],
    want: { budget: pub('llm'), unit: '0', unitKind: 'group', available: 2, desired: 2, expected: 2, source: 'scale' },
  },
  UnitWithheld: {
    ask: () => {
      const lws = anOwner('LeaderWorkerSet', 'llm', 2);
      const pubs = [pubFor('llm', { minAvailable: 1, podGroupPolicy: lwsPolicy })];
      const pods = lwsPods('llm', 2, 2).map((pod, i) => (i === 1 ? pod.probed('True').on('node-7') : pod));
      return ask(aWorld({ pods, owners: [lws], pubs }), 'EVICT', 'llm-0-0');
    },
    says: ['PUB llm', 'group 0', 'llm-0-1', 'node-7'],
    helps: ['agent on node-7'],
    want: { budget: pub('llm'), unit: '0', unitKind: 'group', available: 1, desired: 1, expected: 2, source: 'scale' },
  },
  GroupSizeUnknown: {
    ask: () => {
      const owner = anOwner('StatefulSet', 'db', 3);
      const pods = podsOf('db', 2, owner).map((pod) => pod.labels({ shard: 'a' }));
      const podGroupPolicy = { groupLabelKey: 'shard', minReadyReplicas: 5 };
      const pubs = [pubFor('db', { maxUnavailable: 0, podGroupPolicy })];
      return ask(aWorld({ pods, owners: [owner], pubs }), 'EVICT', 'db-0');
    },
    says: ['PUB db', 'minReadyReplicas', 'group a', '2 of its pods are available', 'up to 3'],
    helps: ['minReadyReplicas', 'workload has created all of its pods'],
    want: { budget: pub('db'), unit: 'a', unitKind: 'group', available: 1, desired: 1, expected: 1 },
  },
  ProbeVeto: {
    ask: () => ask(aWorld({ pods: [db.probed('False')], freshNodes: ['node-1'] }), 'EVICT', 'db'),
    says: ['pod db', 'probe'],
    helps: ['Disruptable'],
  },
  ProbeStale: {
    ask: () => ask(aWorld({ pods: [db.probed('True').on('node-7')] }), 'EVICT', 'db'),
    says: ['pod db', 'node-7', 'agent'],
    helps: ['agent'],
  },
  ProbeUnconfirmed: {
    ask: () => {
      const world = aWorld({ pods: [db.probed('True').on('node-7')] });
      world.setProbeLease('node-7', { renewedAt: 0, durationSeconds: 40, pods: new Set(['another']) });
      return ask(world, 'EVICT', 'db');
    },
    says: ['pod db', 'node-7', 'agent', 'not confirmed yet'],
    helps: ['retry'],
  },
  ProbeInvalid: {
    ask: () => ask(aWorld({ pods: [db.annotate({ [annotation.disruptionProbe]: '{' })] }), 'EVICT', 'db'),
    says: ['pod db', 'probe', 'not valid'],
    helps: ['correct'],
  },
  GroupNotResolved: {
    ask: () =>
      ask(aWorld({ pods: [db], pdbs: [aGroupPdb('db', { app: 'db' }, { minAvailable: 1 }, 'shard')] }), 'EVICT', 'db'),
    says: ['PDB db', 'pod db', 'shard'],
    helps: ['group'],
    want: { budget: pdb('db') },
  },
  BudgetInvalid: {
    ask: () => ask(aWorld({ pods: [db], pubs: [pubFor('db', { minAvailable: 'lots' })] }), 'DELETE', 'db'),
    says: ['PUB db', 'spec.minAvailable', 'lots'],
    helps: ['correct'],
    want: { budget: pub('db') },
  },
  BudgetNotObserved: {
    ask: () => {
      const budget = pubFor('db', { minAvailable: 0 });
      const changed = {
        ...budget,
        metadata: { ...budget.metadata, generation: 12 },
        status: { observedGeneration: 11 },
      };
      return ask(aWorld({ pods: [db], pubs: [changed] }), 'DELETE', 'db');
    },
    says: ['PUB db', '12', '11'],
    helps: ['retry'],
    want: { budget: pub('db') },
  },
  NotCountedYet: {
    ask: () => {
      const plain = aPdb('plain', { app: 'db' }, { minAvailable: 0 });
      const pdbs = [{ ...plain, status: { disruptionsAllowed: 0, observedGeneration: 1 } }];
      return ask(aWorld({ pods: [db], pdbs, pubs: [pubFor('db', { minAvailable: 0 })] }), 'EVICT', 'db');
    },
    says: ['PDB plain', 'pod db', 'allows 0'],
    helps: ['retry', 'disruption controller'],
    want: { budget: pdb('plain') },
  },
  ExpectedUnknown: {
    ask: () => {
      const pods = podsOf('db', 2, anOwner('Job', 'migrate'));
      return ask(aWorld({ pods, pubs: [pubFor('db', { maxUnavailable: 1 })] }), 'DELETE', 'db-0');
    },
    says: ['PUB db', 'Job migrate'],
    helps: ['retry', 'read that owner'],
    want: { budget: pub('db') },
  },
  OwnerNotResolved: {
    ask: () => {
      const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
      const pubs = [aPub('web', { targetRef, minAvailable: 1 })];
      return ask(aWorld({ pods: podsOf('db', 1, anOwner('Job', 'migrate')), pubs }), 'DELETE', 'db-0');
    },
    says: ['PUB web', 'pod db-0', 'owner'],
    helps: ['retry'],
    want: { budget: pub('web') },
  },
  NotSynced: {
    ask: () => ask(new World(), 'EVICT', 'db'),
    says: ['pods', 'pdbs', 'pubs'],
    helps: ['retry'],
  },
  LedgerUnknown: {
    ask: () => {
      const world = new World();
      for (const one of ['pods', 'pdbs', 'pubs', 'workloads', 'podGroups', 'namespaces', 'leases'] as const) {
        world.setSynced(one, '100');
      }
      world.upsertPod(db.build());
      world.upsertPub(pubFor('db', { minAvailable: 0 }));
      return ask(world, 'EVICT', 'db');
    },
    says: ['ledger', 'pod db'],
    helps: ['DisruptionLedger'],
  },
  LedgerBusy: {
    ask: () => ledgerBusy('db', '7 requests wait for the ledger already'),
    says: ['pod db', '7 requests'],
    helps: ['retry', 'DisruptionLedger'],
  },
  CacheStale: {
    ask: () => {
      const world = aWorld({ pods: [db], pubs: [pubFor('db', { minAvailable: 0 })] });
      world.setLedger(ns, aLedger([], '4711'));
      return ask(world, 'EVICT', 'db');
    },
    says: ['100', '4711'],
    helps: ['retry'],
  },
  LedgerFull: {
    ask: () => {
      const world = aWorld({ pods: [db], pubs: [pubFor('db', { minAvailable: 0 })] });
      world.setLedger(ns, aLedger(Array.from({ length: maxReservations }, (_, i) => aReservation(`gone-${i}`))));
      return ask(world, 'EVICT', 'db');
    },
    says: ['1200', 'reservations'],
    helps: ['wait'],
  },
  PodUnknown: {
    ask: () => ask(aWorld({ pods: [db] }), 'EVICT', 'db', { uid: 'uid-other' }),
    says: ['pod db', 'uid-db', 'uid-other'],
    helps: ['retry'],
  },
  EvictionNotPinned: {
    ask: () => notPinned({ operation: 'EVICT', namespace: ns, pod: 'db' }),
    says: ['pod db', 'no uid'],
    helps: ['pin.holdfast.dev', 'preconditions.uid'],
  },
  TooManyBudgets: {
    ask: () => {
      const spec = { selector: { matchLabels: { app: 'db' } }, minAvailable: 0 };
      const pubs = Array.from({ length: 101 }, (_, i) => aPub(`b${i}`, spec));
      return ask(aWorld({ pods: [db], pubs }), 'EVICT', 'db');
    },
    says: ['pod db', '101 budgets', 'at most 100'],
    helps: ['delete budgets'],
  },
  SeveralPlainBudgets: {
    ask: () => {
      const pdbs = ['a', 'b', 'c'].map((name) => aPdb(name, { app: 'db' }, { minAvailable: 0 }));
      return ask(aWorld({ pods: [db], pdbs }), 'EVICT', 'db', {}, { judgePlain: true });
    },
    says: ['pod db', '3', 'PodDisruptionBudget'],
    helps: ['one of them'],
  },
};

describe('a pod that no agent has probed yet', () => {
  const unanswered = 'the disruption probe of pod db has no result yet: the agent on node-1 has not probed it';
  it.each([
    ['has no condition', db.probed('unanswered'), unanswered],
    ['has a condition that says so', db.probed('False', 'ProbePending'), unanswered],
    [
      'said no',
      db.probed('False', 'ProbeFailing'),
      'the disruption probe of pod db reports that it cannot be disrupted now',
    ],
  ])('is not said to have answered: it %s', (_, pod, message) => {
    const verdict = ask(aWorld({ pods: [pod.on('node-1')], freshNodes: ['node-1'] }), 'EVICT', 'db');
    expect(verdict).toMatchObject({ result: 'deny', blockers: [{ code: 'ProbeVeto' }] });
    expect(verdict.result === 'deny' && verdict.message).toContain(message);
  });
});

describe('every refusal', () => {
  table(
    refusalCodes.map((code) => ({ name: `[I12] ${code} says who, how many and what would help`, code })),
    ({ code }) => {
      const { says, helps = [], want = {} } = cases[code];
      const { blockers } = denied(cases[code].ask());
      expect(blockers.map((one) => one.code)).toContain(code);
      const blocker = blockers.find((one) => one.code === code);
      expect(blocker).toMatchObject(want);
      for (const words of says) expect(blocker?.message).toContain(words);
      for (const words of helps) expect(blocker?.unblock).toContain(words);
      expect(`${blocker?.message}; ${blocker?.unblock}`).not.toMatch(/undefined|NaN|null|\[object/);
    },
  );

  table(
    refusalCodes.map((code) => ({ name: `[I8] ${code} is 429 without a time to wait`, code })),
    ({ code }) => {
      const verdict = denied(cases[code].ask());
      const refusal = refusalOf(verdict);
      expect(refusal).toMatchObject({ code: 429, reason: 'TooManyRequests', retryAfterSeconds: 0 });
      expect(refusal.message).toBe(verdict.message);
      expect(refusal.causes).not.toHaveLength(0);
      for (const cause of refusal.causes) expect(cause.reason).toBe('DisruptionBudget');
      expect(refusal.causes.map((cause) => cause.field)).toContain(code);
    },
  );
});

describe('a refusal for several reasons', () => {
  /** A pod under `count` budgets, none of which lets it go. */
  function refused(count: number): Denied {
    const names = Array.from({ length: count }, (_, i) => `budget-${String(i).padStart(3, '0')}`);
    const pubs = names.map((name) => pubFor('db', { minAvailable: 1 }, name));
    return denied(ask(aWorld({ pods: [db], pubs }), 'EVICT', 'db'));
  }

  it('[I12] says the first one and how many more there are', () => {
    expect(refused(1).message).not.toContain('more reason');
    expect(refused(2).message).toContain('budget-000');
    expect(refused(2).message).toContain('1 more');
    expect(refused(4).message).toContain('3 more');
    expect(refused(4).message).toContain(refused(4).blockers[0]?.unblock);
  });

  it('[I12] has one cause for each, with its sentence and what would help', () => {
    const verdict = refused(3);
    const { causes } = refusalOf(verdict);
    expect(causes).toHaveLength(3);
    for (const [i, { message, unblock, code }] of verdict.blockers.entries()) {
      expect(causes[i]?.message).toContain(message);
      expect(causes[i]?.message).toContain(unblock);
      expect(causes[i]?.field).toBe(code);
    }
  });

  it('[I8] stays small, however many budgets refuse', () => {
    const verdict = refused(100);
    expect(verdict.blockers).toHaveLength(100);
    expect(verdict.message).toContain('99 more');
    expect(verdict.message.length).toBeLessThan(1_000);
    expect(JSON.stringify(refusalOf(verdict)).length).toBeLessThan(20_000);
    expect(refusalOf(verdict).causes.length).toBeGreaterThan(0);
  });

  it('[I12] a page of field errors is cut short', () => {
    const matchExpressions = Array.from({ length: 200 }, () => ({ key: 'x'.repeat(400), operator: 'Like' }));
    const pubs = [aPub('huge', { selector: { matchExpressions }, minAvailable: 1 })];
    const verdict = denied(ask(aWorld({ pods: [db], pubs }), 'EVICT', 'db'));
    expect(verdict.message).toContain('spec.selector');
    expect(verdict.message.length).toBeLessThan(1_000);
    for (const one of verdict.blockers) expect(one.message.length).toBeLessThan(1_000);
  });
});
