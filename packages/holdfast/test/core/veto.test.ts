import { describe, expect, it } from 'vitest';
import { ask, aWorld, blockersOf, inShort } from '../../../../test/support/a-world.ts';
import type { PodBuilder } from '../../../../test/support/builders.ts';
import { anOwner, aPdb, aPod } from '../../../../test/support/builders.ts';
import { groupIndex, lwsPods, podsOf, pubFor, reserveIn } from '../../../../test/support/fleet.ts';
import { table } from '../../../../test/support/table.ts';
import type { PodDisruptionBudget } from '../../src/api/pdb.ts';
import type { PodUnavailableBudget } from '../../src/api/pub/pub.ts';
import type { DisruptionRequest, Operation } from '../../src/core/request.ts';
import type { World } from '../../src/core/world/world.ts';

const db = aPod('db').labels({ app: 'db' });
const yes = db.probed('True');
const no = db.probed('False');
const silent = db.probed('unanswered');
const broken = db.annotate({ 'holdfast.dev/disruption-probe': 'not a probe' });

/** Budgets that would let anything go. */
const laxPdb = aPdb('db', { app: 'db' }, { minAvailable: 0 });
const laxPub = pubFor('db', { minAvailable: 0 });

function dbWorld(
  pod: PodBuilder,
  budgets: { readonly pdbs?: readonly PodDisruptionBudget[]; readonly pubs?: readonly PodUnavailableBudget[] } = {},
): World {
  const world = aWorld({ pods: [pod, ...podsOf('db', 3)], freshNodes: ['node-1'], ...budgets });
  world.setProbeLease('node-3', { renewedAt: 0, durationSeconds: 3_600, pods: new Set(['another']) });
  return world;
}

describe('the veto of a disruption probe', () => {
  const rows: readonly { name: string; pod: PodBuilder; want: string }[] = [
    { name: 'a probe that says yes lets go', pod: yes, want: 'allow' },
    { name: 'a probe that says no refuses', pod: no, want: 'deny ProbeVeto' },
    { name: 'a probe that has not answered yet refuses', pod: silent, want: 'deny ProbeVeto' },
    { name: 'a probe that cannot be read refuses', pod: broken, want: 'deny ProbeInvalid' },
    { name: 'a node without a lease refuses', pod: yes.on('node-2'), want: 'deny ProbeStale' },
    { name: 'a fresh lease that does not list the pod refuses', pod: yes.on('node-3'), want: 'deny ProbeUnconfirmed' },
    {
      name: 'a probe that says no refuses where the lease is stale, too',
      pod: no.on('node-2'),
      want: 'deny ProbeVeto',
    },
    {
      name: 'a pod that is not ready and that no agent confirms is refused',
      pod: no.notReady(),
      want: 'deny ProbeVeto',
    },
  ];
  table(
    rows.map((row) => ({ ...row, name: `[V1] an eviction under no budget: ${row.name}` })),
    ({ pod, want }) =>
      expect(inShort(ask(dbWorld(pod), 'EVICT', 'db'))).toBe(want === 'allow' ? 'allow NotProtected' : want),
  );
  table(
    rows.map((row) => ({
      ...row,
      name: `[V1] an eviction under a PodDisruptionBudget that desires nothing: ${row.name}`,
    })),
    ({ pod, want }) =>
      expect(inShort(ask(dbWorld(pod, { pdbs: [laxPdb] }), 'EVICT', 'db'))).toBe(
        want === 'allow' ? 'allow WithinBudget' : want,
      ),
  );

  table<{
    name: string;
    operation: Operation;
    more?: Partial<DisruptionRequest>;
    pub: PodUnavailableBudget;
    want: string;
  }>(
    [
      { name: 'DELETE', operation: 'DELETE', pub: laxPub, want: 'deny ProbeVeto' } as const,
      { name: 'EVICT', operation: 'EVICT', pub: laxPub, want: 'deny ProbeVeto' } as const,
      { name: 'UPDATE', operation: 'UPDATE', pub: laxPub, want: 'deny ProbeVeto' } as const,
      {
        name: 'an update that takes nothing away',
        operation: 'UPDATE',
        more: { takesAway: false },
        pub: laxPub,
        want: 'allow NotProtected',
      } as const,
      {
        name: 'a resize, which loses nothing',
        operation: 'RESIZE',
        pub: pubFor('db', { minAvailable: 0, protectOperations: ['RESIZE'] }),
        want: 'allow WithinBudget',
      } as const,
      {
        name: 'a delete that the budget does not protect',
        operation: 'DELETE',
        pub: pubFor('db', { minAvailable: 0, protectOperations: ['EVICT', 'UPDATE'] }),
        want: 'allow NotProtected',
      } as const,
      {
        name: 'an update that the budget does not protect',
        operation: 'UPDATE',
        pub: pubFor('db', { minAvailable: 0, protectOperations: ['EVICT', 'DELETE'] }),
        want: 'allow NotProtected',
      } as const,
      {
        name: 'an eviction that the budget does not protect',
        operation: 'EVICT',
        pub: pubFor('db', { minAvailable: 0, protectOperations: ['DELETE'] }),
        want: 'deny ProbeVeto',
      } as const,
    ].map((row) => ({ ...row, name: `[V1] under a PodUnavailableBudget: ${row.name}` })),
    ({ operation, more, pub, want }) =>
      expect(inShort(ask(dbWorld(no, { pubs: [pub] }), operation, 'db', more ?? {}))).toBe(want),
  );

  it('[V1] [U6] keeps a pod from being moved out of its budget, which is taking it away', () => {
    const after = aPod('db').labels({ app: 'elsewhere' }).probed('False').build();
    const world = dbWorld(no, { pubs: [laxPub] });
    expect(inShort(ask(world, 'UPDATE', 'db', { takesAway: false, after }))).toBe('deny ProbeVeto');
  });

  it('[V1] alone never blocks a delete or an update: rollouts go on', () => {
    for (const operation of ['DELETE', 'UPDATE'] as const) {
      expect(inShort(ask(dbWorld(no), operation, 'db'))).toBe('allow NotProtected');
      expect(inShort(ask(dbWorld(no, { pdbs: [laxPdb] }), operation, 'db'))).toBe('allow NotProtected');
    }
  });

  it('[V1] holds for an eviction of a pod that its budget leaves alone', () => {
    const world = dbWorld(no.annotate({ 'pub.kruise.io/no-protect': 'true' }), { pubs: [laxPub] });
    expect(inShort(ask(world, 'EVICT', 'db'))).toBe('deny ProbeVeto');
    expect(inShort(ask(world, 'DELETE', 'db'))).toBe('allow NotProtected');
  });

  it('[V1] stands beside what the budgets refuse', () => {
    const world = dbWorld(no, { pubs: [pubFor('db', { maxUnavailable: 0, protectTotalReplicas: 9 })] });
    expect(inShort(ask(world, 'EVICT', 'db'))).toBe('deny ProbeVeto');
    world.upsertPdb(aPdb('db', { app: 'db' }, { minAvailable: 9 }));
    expect(inShort(ask(world, 'EVICT', 'db'))).toBe('deny ProbeVeto,UnhealthyRefused');
  });

  it('[V1] comes when the lease of the node runs out, and goes when it is renewed', () => {
    const world = dbWorld(yes.on('node-2'), { pubs: [laxPub] });
    world.setProbeLease('node-2', { renewedAt: 0, durationSeconds: 40 });
    expect(inShort(ask(world, 'DELETE', 'db'))).toBe('allow WithinBudget');
    world.advance(39_999);
    expect(inShort(ask(world, 'DELETE', 'db'))).toBe('allow WithinBudget');
    world.advance(40_001);
    expect(inShort(ask(world, 'DELETE', 'db'))).toBe('deny ProbeStale');
    expect(blockersOf(ask(world, 'DELETE', 'db'))[0]?.message).toContain('node-2');
    world.setProbeLease('node-2', { renewedAt: 50_000, durationSeconds: 40 });
    expect(inShort(ask(world, 'DELETE', 'db'))).toBe('allow WithinBudget');
    world.deleteProbeLease('node-2');
    expect(inShort(ask(world, 'DELETE', 'db'))).toBe('deny ProbeStale');
  });
});

describe('the way out', () => {
  const always = aPdb('db', { app: 'db' }, { minAvailable: 9, unhealthyPodEvictionPolicy: 'AlwaysAllow' });
  const ifHealthy = aPdb('db', { app: 'db' }, { minAvailable: 1, unhealthyPodEvictionPolicy: 'IfHealthyBudget' });
  const strictPub = pubFor('db', { minAvailable: 9 });
  const both = { pdbs: [always], pubs: [strictPub] };
  const mixed = { pdbs: [always, aPdb('other', { app: 'db' }, { minAvailable: 1 })] };
  const down = no.notReady();
  table<{ name: string; pod: PodBuilder; budgets: Parameters<typeof dbWorld>[1]; want: string }>(
    [
      {
        name: 'AlwaysAllow lets a pod that is not Ready go',
        pod: down,
        budgets: { pdbs: [always] },
        want: 'allow WithinBudget',
      },
      { name: 'AlwaysAllow keeps one that is Ready', pod: no, budgets: { pdbs: [always] }, want: 'deny ProbeVeto' },
      {
        name: 'IfHealthyBudget keeps it, met or not',
        pod: down,
        budgets: { pdbs: [ifHealthy] },
        want: 'deny ProbeVeto',
      },
      { name: 'a policy that is not said keeps it', pod: down, budgets: { pdbs: [laxPdb] }, want: 'deny ProbeVeto' },
      {
        name: 'a PodUnavailableBudget lets it go',
        pod: down,
        budgets: { pubs: [strictPub] },
        want: 'allow WithinBudget',
      },
      {
        name: 'a PodUnavailableBudget keeps one that is Ready',
        pod: no,
        budgets: { pubs: [laxPub] },
        want: 'deny ProbeVeto',
      },
      {
        name: 'AlwaysAllow and a PodUnavailableBudget let it go',
        pod: down,
        budgets: both,
        want: 'allow WithinBudget',
      },
      {
        name: 'IfHealthyBudget and a PodUnavailableBudget keep it',
        pod: down,
        budgets: { pdbs: [ifHealthy], pubs: [strictPub] },
        want: 'deny ProbeVeto',
      },
      { name: 'one of two budgets without AlwaysAllow keeps it', pod: down, budgets: mixed, want: 'deny ProbeVeto' },
      { name: 'no budget at all keeps it', pod: down, budgets: {}, want: 'deny ProbeVeto' },
      {
        name: 'a probe that cannot be read can be left, too',
        pod: broken.notReady(),
        budgets: both,
        want: 'allow WithinBudget',
      },
      {
        name: 'a stale lease can be left, too',
        pod: yes.notReady().on('node-2'),
        budgets: both,
        want: 'allow WithinBudget',
      },
    ].map((row) => ({ ...row, name: `[V2] ${row.name}` })),
    ({ pod, budgets, want }) => expect(inShort(ask(dbWorld(pod, budgets), 'EVICT', 'db'))).toBe(want),
  );

  it('[V2] [V1] a pod that says no counts as down, and is not free to evict for that', () => {
    const owner = anOwner('StatefulSet', 'db', 4);
    const world = aWorld({
      pods: [no, ...podsOf('db', 3)].map((pod) => pod.ownedBy(owner)),
      owners: [owner],
      freshNodes: ['node-1'],
      pdbs: [aPdb('db', { app: 'db' }, { maxUnavailable: 3, unhealthyPodEvictionPolicy: 'AlwaysAllow' })],
    });
    expect(inShort(ask(world, 'EVICT', 'db'))).toBe('deny ProbeVeto');
    expect(ask(world, 'EVICT', 'db-0')).toMatchObject({ result: 'allow', charges: [{ available: 3, desired: 1 }] });
  });

  it('[V2] counts only budgets that judge: a delete is not helped by AlwaysAllow', () => {
    const world = dbWorld(no, both);
    expect(inShort(ask(world, 'DELETE', 'db'))).toBe('deny ProbeVeto');
    world.upsertPod(down.build());
    expect(inShort(ask(world, 'DELETE', 'db'))).toBe('allow WithinBudget');
    world.upsertPdb(ifHealthy);
    expect(inShort(ask(world, 'DELETE', 'db'))).toBe('allow WithinBudget');
    expect(inShort(ask(world, 'EVICT', 'db'))).toBe('deny ProbeVeto');
  });

  it('[V2] rests on the pod not being Ready, so it holds only for that version of the pod', () => {
    const world = dbWorld(down.version('77'), { pubs: [strictPub] });
    expect(ask(world, 'EVICT', 'db')).toMatchObject({
      effects: { onlyIf: { uid: 'uid-db', resourceVersion: '77' } },
    });
  });
});

describe('a broken group', () => {
  const policy = { groupLabelKey: groupIndex, minReadyReplicas: 3 };
  const grouped = pubFor('llm', { minAvailable: 2, podGroupPolicy: policy });
  /** Two groups of three; of the first group the leader says no and `unready` others do not serve. */
  function shards(unready: number, ...pubs: readonly PodUnavailableBudget[]): World {
    const pods = lwsPods('llm', 2, 3).map((pod, i) =>
      i === 0 ? pod.probed('False') : i <= unready ? pod.notReady() : pod,
    );
    return aWorld({ pods, freshNodes: ['node-1'], pubs });
  }
  const veto = 'deny ProbeVeto';

  it('[I10] that would be down even with this pod lets its controller delete the pod', () => {
    expect(inShort(ask(shards(1, grouped), 'DELETE', 'llm-0-0'))).toBe('allow WithinBudget');
    expect(inShort(ask(shards(2, grouped), 'DELETE', 'llm-0-0'))).toBe('allow WithinBudget');
  });

  it('[I10] [H5] that serves, and of which this pod says no, keeps it', () => {
    expect(inShort(ask(shards(0, grouped), 'DELETE', 'llm-0-0'))).toBe('deny ProbeVeto,UnitWithheld');
  });

  it('[I10] is not a reason to evict or update a pod that says no', () => {
    expect(inShort(ask(shards(2, grouped), 'EVICT', 'llm-0-0'))).toBe(veto);
    expect(inShort(ask(shards(2, grouped), 'UPDATE', 'llm-0-0'))).toBe(veto);
  });

  it('[I10] must be broken in the eyes of every budget that judges', () => {
    const milder = pubFor('llm', { minAvailable: 2, podGroupPolicy: { ...policy, minReadyReplicas: 2 } }, 'milder');
    const perPod = pubFor('llm', { minAvailable: 1 }, 'per-pod');
    const evictions = pubFor('llm', { minAvailable: 1, protectOperations: ['EVICT'] }, 'evictions');
    expect(inShort(ask(shards(1, grouped, milder), 'DELETE', 'llm-0-0'))).toBe('deny ProbeVeto,UnitWithheld');
    expect(inShort(ask(shards(2, grouped, milder), 'DELETE', 'llm-0-0'))).toBe('allow WithinBudget');
    expect(inShort(ask(shards(2, grouped, perPod), 'DELETE', 'llm-0-0'))).toBe(veto);
    expect(inShort(ask(shards(2, grouped, evictions), 'DELETE', 'llm-0-0'))).toBe('allow WithinBudget');
  });

  it('[I10] passes although every probe of it says no, and its agent is gone', () => {
    const world = shards(0, grouped);
    const pods = lwsPods('llm', 1, 3).map((pod) => pod.probed('False'));
    for (const pod of pods) world.upsertPod(pod.build());
    world.deleteProbeLease('node-1');
    expect(inShort(ask(world, 'DELETE', 'llm-0-0'))).toBe('deny ProbeVeto,UnitWithheld');
    for (const pod of pods.slice(0, 2)) world.upsertPod(pod.notReady().build());
    expect(inShort(ask(world, 'DELETE', 'llm-0-2'))).toBe('allow WithinBudget');
    expect(inShort(ask(world, 'DELETE', 'llm-1-0'))).toBe('deny BudgetExhausted');
  });

  it('[I10] counts reserved and terminating pods as gone', () => {
    const reserved = shards(0, grouped);
    reserveIn(reserved, 'llm-0-2');
    expect(inShort(ask(reserved, 'DELETE', 'llm-0-0'))).toBe('allow WithinBudget');
    const terminating = shards(0, grouped);
    for (const pod of lwsPods('llm', 1, 3).slice(2)) terminating.upsertPod(pod.terminating().build());
    expect(inShort(ask(terminating, 'DELETE', 'llm-0-0'))).toBe('allow WithinBudget');
  });
});
