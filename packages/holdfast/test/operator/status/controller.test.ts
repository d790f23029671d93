import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../../test/support/a-world.ts';
import { aGroupPdb, anOwner, aPdb, aPod, aPub, ns, refTo } from '../../../../../test/support/builders.ts';
import type { PodUnavailableBudget } from '../../../src/api/pub/pub.ts';
import { collections } from '../../../src/core/sync.ts';
import { World } from '../../../src/core/world/world.ts';
import type { Failure } from '../../../src/kube/outcome/failure.ts';
import { keyOf } from './fake-budgets.ts';
import { aStatusBench, type StatusBench } from './status-bench.ts';

const set = anOwner('StatefulSet', 'db', 3);
const pod = (index: number) => aPod(`db-${index}`).labels({ app: 'db' }).ownedBy(refTo(set));
const threePods = () => aWorld({ owners: [set], pods: [0, 1, 2].map(pod) });
const selector = { matchLabels: { app: 'db' } };
const pub = (more: Partial<PodUnavailableBudget> = {}): PodUnavailableBudget => ({
  ...aPub('db', { selector, maxUnavailable: 1 }),
  status: {},
  ...more,
});
const lws = anOwner('LeaderWorkerSet', 'llm', 2);
const worker = (group: number, index: number) =>
  aPod(`llm-${group}-${index}`).labels({ app: 'llm' }).lws('llm', group, index, 2).ownedBy(refTo(lws));
const twoGroups = () => aWorld({ owners: [lws], pods: [worker(0, 0), worker(0, 1), worker(1, 0), worker(1, 1)] });
const groupPdb = () => aGroupPdb('llm', { app: 'llm' }, { maxUnavailable: 1 });

const writesOf = (bench: StatusBench) => bench.api.writes.length;
const lost: Failure = {
  kind: 'retry',
  cause: 'connection',
  message: 'no answer',
  retryAfterMs: undefined,
  maybeDone: true,
};
const conflict: Failure = { kind: 'conflict', message: 'another client wrote' };

describe('PodUnavailableBudgets', () => {
  it('[U4] a new one gets its status, with the generation that was judged', async () => {
    const bench = aStatusBench({ world: threePods(), pubs: [pub()] });
    const end = bench.lead();
    await bench.clock.advance(500);
    expect(bench.pub('db').status).toMatchObject({
      observedGeneration: 1,
      currentAvailable: 3,
      desiredAvailable: 2,
      totalReplicas: 3,
      unavailableAllowed: 1,
      unavailableReplicas: 0,
      conditions: [{ type: 'Enforced', status: 'True', reason: 'Enforced' }],
    });
    bench.api.put('podunavailablebudgets', {
      ...bench.pub('db'),
      metadata: { ...bench.pub('db').metadata, generation: 2 },
      spec: { selector, maxUnavailable: 2 },
    });
    bench.catchUp();
    await bench.clock.advance(500);
    expect(bench.pub('db').status).toMatchObject({ observedGeneration: 2, desiredAvailable: 1 });
    await end();
  });

  it('many changes cost one write, and none when nothing changed', async () => {
    const bench = aStatusBench({ world: threePods(), pubs: [pub()] });
    const end = bench.lead();
    await bench.clock.advance(500);
    expect(writesOf(bench)).toBe(1);
    for (let i = 0; i < 1_000; i += 1) {
      bench.world.upsertPod((i % 2 === 0 ? pod(0).notReady() : pod(0)).version(String(20 + i)).build());
      bench.controller.budgets([{ kind: 'PodUnavailableBudget', namespace: ns, name: 'db' }]);
    }
    await bench.clock.advance(500);
    expect(writesOf(bench)).toBe(1);
    bench.world.upsertPod(pod(0).notReady().version('2000').build());
    bench.world.upsertPod(pod(1).notReady().version('2001').build());
    bench.controller.namespace(ns);
    bench.controller.namespace(ns);
    await bench.clock.advance(500);
    expect([writesOf(bench), bench.pub('db').status?.currentAvailable]).toEqual([2, 1]);
    await end();
  });

  it('[S1] a write that lost a race is computed again from the newer object, never resent', async () => {
    const bench = aStatusBench({ world: threePods(), pubs: [pub()] });
    let once = true;
    bench.api.meanwhile = () => {
      if (!once) return;
      once = false;
      const { metadata } = bench.pub('db');
      const spec = { selector, maxUnavailable: 3 };
      bench.api.put('podunavailablebudgets', { ...bench.pub('db'), metadata: { ...metadata, generation: 2 }, spec });
      bench.world.upsertPod(pod(2).notReady().version('30').build());
    };
    const end = bench.lead();
    await bench.clock.advance(120);
    // The view still shows the old object: whatever is tried now must fail, and nothing may get through.
    expect([writesOf(bench) > 0, bench.pub('db').status]).toEqual([true, {}]);
    bench.catchUp();
    await bench.clock.advance(2_000);
    expect(bench.pub('db').status).toMatchObject({
      observedGeneration: 2,
      desiredAvailable: 0,
      currentAvailable: 2,
      unavailableAllowed: 2,
    });
    await end();
  });

  it('while the view lags behind our own write, the next one goes over that write', async () => {
    const bench = aStatusBench({ world: threePods(), pubs: [pub()] });
    bench.lagging = true;
    const end = bench.lead();
    await bench.clock.advance(500);
    bench.controller.namespace(ns);
    await bench.clock.advance(500);
    expect(writesOf(bench)).toBe(1);
    bench.world.upsertPod(pod(0).notReady().version('30').build());
    bench.controller.namespace(ns);
    await bench.clock.advance(500);
    expect([writesOf(bench), bench.pub('db').status?.currentAvailable]).toEqual([2, 2]);
    await end();
  });

  it.each<readonly [string, Failure, number]>([
    ['an answer that was lost', lost, 1],
    ['a server that is not there', { ...lost, maybeDone: false }, 2],
    ['too many requests', { kind: 'tooManyRequests', message: 'wait', retryAfterMs: 200 }, 2],
    ['a denial', { kind: 'denied', message: 'no' }, 2],
    ['one that is gone', { kind: 'notFound', message: 'gone' }, 1],
  ])('%s is tried again, recomputed, if that makes sense', async (_, failure, writes) => {
    const bench = aStatusBench({ world: threePods(), pubs: [pub()] });
    bench.api.failures.push(failure);
    const end = bench.lead();
    await bench.clock.advance(2_000);
    expect(writesOf(bench)).toBe(writes);
    expect(bench.log.length).toBe(failure.kind === 'denied' ? 1 : 0);
    await end();
  });

  it('a write that got through although its answer was lost is not taken for undone', async () => {
    const bench = aStatusBench({ world: threePods(), pubs: [pub()] });
    const end = bench.lead();
    await bench.clock.advance(500);
    bench.api.failures.push(lost);
    bench.api.meanwhile = () => void bench.world.upsertPod(pod(0).version('31').build());
    bench.world.upsertPod(pod(0).notReady().version('30').build());
    bench.controller.namespace(ns);
    await bench.clock.advance(1_000);
    expect(bench.api.writes.map((write) => /"currentAvailable":(.)/.exec(write)?.[1])).toEqual(['3', '2', '3']);
    expect(bench.pub('db').status?.currentAvailable).toBe(3);
    await end();
  });

  const enforced = (bench: StatusBench) => {
    const { type, status, reason } = bench.pub('db').status?.conditions?.[0] ?? {};
    return `${type} ${status} ${reason}`;
  };

  it('one that is left to Kruise no longer says that it is enforced, once, and nothing else is written', async () => {
    const bench = aStatusBench({ world: threePods(), pubs: [pub()] });
    const end = bench.lead();
    await bench.clock.advance(1_000);
    expect([enforced(bench), writesOf(bench)]).toEqual(['Enforced True Enforced', 1]);
    bench.paused = true;
    bench.controller.namespace(ns);
    await bench.clock.advance(1_000);
    expect([enforced(bench), writesOf(bench)]).toEqual(['Enforced False LeftToKruise', 2]);
    expect(bench.pub('db').status).toMatchObject({ currentAvailable: 3 });
    bench.api.put('podunavailablebudgets', { ...bench.pub('db'), status: { currentAvailable: 2 } });
    bench.catchUp();
    await bench.clock.advance(60_000);
    expect(writesOf(bench)).toBe(2);
    bench.paused = false;
    bench.controller.namespace(ns);
    await bench.clock.advance(1_000);
    expect([enforced(bench), writesOf(bench)]).toEqual(['Enforced True Enforced', 3]);
    await end();
  });

  it("one of Kruise's own definition, which keeps no conditions, is tried once", async () => {
    const bench = aStatusBench({
      world: threePods(),
      pubs: [pub(), { ...pub(), metadata: { ...pub().metadata, name: 'other' } }],
    });
    bench.paused = true;
    bench.api.keepsNoConditions = true;
    const end = bench.lead();
    await bench.clock.advance(60_000);
    expect(writesOf(bench)).toBeLessThanOrEqual(2);
    expect(bench.pub('db').status).toEqual({});
    await end();
  });

  it('one that another client keeps overwriting is not fought over', async () => {
    const bench = aStatusBench({ world: threePods(), pubs: [pub()] });
    bench.api.wrote = () => {
      bench.api.put('podunavailablebudgets', { ...bench.pub('db'), status: {} });
      bench.catchUp();
    };
    const end = bench.lead();
    await bench.clock.advance(20_000);
    expect(writesOf(bench)).toBe(1);
    await bench.clock.advance(20_000);
    expect(writesOf(bench)).toBe(2);
    await end();
  });

  it('a new leader leaves a status alone that it could only replace by "not known", for a while', async () => {
    const world = aWorld({ pods: [0, 1, 2].map(pod) });
    const judged = { observedGeneration: 1, currentAvailable: 3, desiredAvailable: 2 };
    const bench = aStatusBench({ world, pubs: [pub({ status: judged })] });
    const end = bench.lead();
    await bench.clock.advance(5_000);
    expect(bench.pub('db').status).toEqual(judged);
    await bench.clock.advance(6_000);
    expect(bench.pub('db').status?.conditions).toMatchObject([{ status: 'False', reason: 'ExpectedUnknown' }]);
    bench.world.setOwner(set);
    bench.controller.namespace(ns);
    await bench.clock.advance(500);
    expect(bench.pub('db').status).toMatchObject({ ...judged, conditions: [{ status: 'True' }] });
    await end();
  });

  it('what mutex wrong is told once, also across leaders', async () => {
    const missing = () => aWorld({ owners: [set], pods: [pod(0), pod(1).labels({ shard: 'a' })] });
    const grouped = aPub('db', { selector, minAvailable: 1, podGroupPolicy: { groupLabelKey: 'shard' } });
    const bench = aStatusBench({ world: missing(), pubs: [{ ...grouped, status: {} }] });
    bench.api.failures.push(conflict);
    const end = bench.lead();
    await bench.clock.advance(500);
    bench.world.upsertPod(pod(2).version('50').build());
    bench.controller.namespace(ns);
    await bench.clock.advance(500);
    await end();
    expect([writesOf(bench), bench.events]).toEqual([3, ['MissingGroupLabel db']]);
    const next = aStatusBench({ world: missing(), after: bench });
    const endNext = next.lead();
    await next.clock.advance(500);
    expect(next.events).toEqual(['MissingGroupLabel db']);
    await endNext();
  });
});

describe('PodDisruptionBudgets', () => {
  it('[S2] group budgets get their condition, plain ones are left alone', async () => {
    const bench = aStatusBench({
      world: twoGroups(),
      pdbs: [groupPdb(), aPdb('plain', { app: 'llm' }, { minAvailable: 1 })],
    });
    const end = bench.lead();
    await bench.clock.advance(500);
    expect([bench.pdbSays('llm'), bench.pdbSays('plain'), writesOf(bench)]).toEqual([
      'True Sufficient: 2 groups available, 1 needed, 2 expected (by the scale of the workload); 1 may be disrupted now',
      'nothing',
      1,
    ]);
    bench.world.upsertPod(worker(0, 1).notReady().version('30').build());
    bench.controller.budgets([{ kind: 'PodDisruptionBudget', namespace: ns, name: 'llm' }]);
    await bench.clock.advance(500);
    expect(bench.pdbSays('llm')).toBe(
      'False Insufficient: 1 group available, 1 needed, 2 expected (by the scale of the workload); none may be disrupted until 1 more is available',
    );
    await end();
  });

  it('a condition from before this process is removed when the budget is plain, whichever client wrote it', async () => {
    const left = { type: 'holdfast.dev/GroupBudget', status: 'True', reason: 'Sufficient', message: 'old' } as const;
    const builtIn = { type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods', message: '' } as const;
    const plain = (name: string) => ({
      ...aPdb(name, { app: 'llm' }, { minAvailable: 1 }),
      status: { conditions: [builtIn, left] },
    });
    const bench = aStatusBench({ world: twoGroups(), pdbs: [plain('ours'), plain('restored')] });
    bench.api.applied.add(keyOf('poddisruptionbudgets', { namespace: ns, name: 'ours' }));
    const end = bench.lead();
    await bench.clock.advance(5_000);
    for (const name of ['ours', 'restored']) {
      const stored = bench.api.objects.get(keyOf('poddisruptionbudgets', { namespace: ns, name }));
      expect(stored?.status?.conditions).toEqual([builtIn]);
    }
    expect(writesOf(bench)).toBe(3);
    await end();
  });

  it('another budget of the same name does not get the condition of the one before', async () => {
    const bench = aStatusBench({ world: twoGroups(), pdbs: [groupPdb()] });
    const plain = aPdb('llm', { app: 'llm' }, { minAvailable: 1 });
    let once = true;
    bench.api.meanwhile = () => {
      if (!once) return;
      once = false;
      bench.api.put('poddisruptionbudgets', { ...plain, metadata: { ...plain.metadata, uid: 'another' } });
      bench.catchUp();
    };
    const end = bench.lead();
    await bench.clock.advance(5_000);
    expect([bench.pdbSays('llm'), writesOf(bench)]).toEqual(['nothing', 1]);
    await end();
  });

  it('while it is not guarded it says so, and what it says changes with the guard', async () => {
    const bench = aStatusBench({ world: twoGroups(), pdbs: [groupPdb()] });
    bench.guard = { kind: 'off', message: 'no label yet' };
    const end = bench.lead();
    await bench.clock.advance(500);
    expect(bench.pdbSays('llm')).toBe('Unknown NotGuarded: no label yet');
    bench.guard = { kind: 'on' };
    bench.controller.namespace(ns);
    await bench.clock.advance(500);
    expect(bench.pdbSays('llm')).toContain('True Sufficient');
    await end();
  });

  it('warnings are told when they begin, not at every look, and not again by the next leader', async () => {
    const world = () =>
      aWorld({ pods: [aPod('a').labels({ app: 'llm', shard: 'x' }), aPod('b').labels({ app: 'llm', shard: 'y' })] });
    const pdb = aGroupPdb('llm', { app: 'llm' }, { minAvailable: 1 }, 'shard');
    const bench = aStatusBench({ world: world(), pdbs: [pdb] });
    const end = bench.lead();
    await bench.clock.advance(500);
    bench.world.upsertPod(aPod('c').labels({ app: 'llm', shard: 'z' }).build());
    bench.controller.namespace(ns);
    await bench.clock.advance(500);
    await end();
    expect([writesOf(bench), bench.events]).toEqual([2, ['GroupsForgettable llm']]);
    const next = aStatusBench({ world: world(), after: bench });
    const endNext = next.lead();
    await next.clock.advance(500);
    expect([writesOf(next), next.events]).toEqual([3, ['GroupsForgettable llm']]);
    await endNext();
  });

  it('[S2] one that falls back to pods shows that until the group is found, and is told of once', async () => {
    const lone = aPod('a').labels({ app: 'llm' }).inPodGroup('nowhere');
    const bench = aStatusBench({
      world: aWorld({ pods: [lone] }),
      pdbs: [aPdb('llm', { app: 'llm' }, { minAvailable: 1 })],
    });
    const end = bench.lead();
    for (let i = 0; i < 3; i += 1) {
      bench.controller.namespace(ns);
      await bench.clock.advance(500);
    }
    expect([bench.pdbSays('llm'), bench.events, writesOf(bench)]).toEqual([
      'Unknown GroupFallback: 1 pod names a group that does not exist, so the budget counts pods, not groups',
      ['GroupFallback llm'],
      1,
    ]);
    expect(await bench.metrics.render()).not.toContain('budget="llm"');
    bench.world.upsertPod(aPod('a').labels({ app: 'llm' }).version('30').build());
    bench.controller.namespace(ns);
    await bench.clock.advance(500);
    expect(bench.pdbSays('llm')).toBe('nothing');
    await end();
  });

  it('one that becomes plain has no condition and no metrics any more', async () => {
    const bench = aStatusBench({ world: twoGroups(), pdbs: [groupPdb()] });
    const end = bench.lead();
    await bench.clock.advance(500);
    expect(await bench.metrics.render()).toContain('budget="llm"');
    bench.api.put('poddisruptionbudgets', {
      ...bench.pdb('llm'),
      metadata: { ...bench.pdb('llm').metadata, annotations: {} },
    });
    bench.catchUp();
    await bench.clock.advance(500);
    expect(bench.pdbSays('llm')).toBe('nothing');
    expect(await bench.metrics.render()).not.toContain('budget="llm"');
    await end();
  });

  it('one that cannot be read says so and is told of', async () => {
    const broken = aPdb(
      'llm',
      { app: 'llm' },
      { minAvailable: 1 },
      { 'holdfast.dev/budget-scope': 'x'.repeat(50_000) },
    );
    const bench = aStatusBench({ world: twoGroups(), pdbs: [broken] });
    const end = bench.lead();
    await bench.clock.advance(500);
    expect([bench.pdbSays('llm').slice(0, 19), bench.events]).toEqual(['False BudgetInvalid', ['BudgetInvalid llm']]);
    expect(bench.pdbSays('llm').length).toBeLessThan(5_000);
    await end();
  });
});

describe('leading', () => {
  it('only the leader looks, and it stops for good', async () => {
    const bench = aStatusBench({ world: threePods(), pubs: [pub()] });
    bench.controller.namespace(ns);
    await bench.clock.advance(1_000);
    expect(writesOf(bench)).toBe(0);
    const end = bench.lead();
    await bench.clock.advance(1_000);
    await end();
    bench.world.upsertPod(pod(0).notReady().version('30').build());
    bench.controller.namespace(ns);
    await bench.clock.advance(1_000_000);
    expect(writesOf(bench)).toBe(1);
    expect(await bench.metrics.render()).not.toContain('budget="db"');
    const again = bench.lead();
    await bench.clock.advance(1_000);
    expect(bench.pub('db').status?.currentAvailable).toBe(2);
    await again();
  });

  it('nothing is written from a view that is not complete', async () => {
    const world = new World();
    const bench = aStatusBench({ world, pubs: [pub()] });
    const end = bench.lead();
    await bench.clock.advance(5_000);
    expect(writesOf(bench)).toBe(0);
    for (const one of collections) world.setSynced(one, '1');
    await bench.clock.advance(500);
    expect(writesOf(bench)).toBe(1);
    await end();
  });

  it('what was not touched is found again after a while', async () => {
    const bench = aStatusBench({ world: threePods(), pubs: [pub()] });
    const end = bench.lead();
    await bench.clock.advance(1_000);
    bench.world.upsertPod(pod(0).notReady().version('30').build());
    await bench.clock.advance(100_000);
    expect(bench.pub('db').status?.currentAvailable).toBe(3);
    await bench.clock.advance(100_000);
    expect(bench.pub('db').status?.currentAvailable).toBe(2);
    await end();
  });

  it('a mistake of ours at one budget keeps no other from its status', async () => {
    const odd = { ...pub(), metadata: { ...pub().metadata, name: 'odd' }, status: { conditions: 1 as never } };
    const bench = aStatusBench({ world: threePods(), pubs: [odd, pub()] });
    const end = bench.lead();
    await bench.clock.advance(1_000);
    expect([bench.pub('db').status?.observedGeneration, bench.log.length > 0]).toEqual([1, true]);
    await end();
  });

  it('metrics show the numbers of each budget, and how long it was blocked', async () => {
    const bench = aStatusBench({ world: threePods(), pubs: [pub()] });
    const end = bench.lead();
    await bench.clock.advance(1_000);
    bench.world.upsertPod(pod(0).notReady().version('30').build());
    bench.controller.namespace(ns);
    await bench.clock.advance(100);
    await bench.clock.advance(10_000);
    const text = await bench.metrics.render();
    const labels = '{namespace="shop",kind="PodUnavailableBudget",budget="db"}';
    expect(text).toContain(`holdfast_budget_available_units${labels} 2`);
    expect(text).toContain(`holdfast_budget_desired_units${labels} 2`);
    expect(text).toContain(`holdfast_budget_expected_units${labels} 3`);
    expect(text).toContain(`holdfast_budget_blocked_seconds_total${labels} 10`);
    expect(text).toContain('holdfast_budget_status_writes_total{kind="PodUnavailableBudget",outcome="written"} 2');
    bench.api.objects.clear();
    bench.catchUp();
    await bench.clock.advance(500);
    expect(await bench.metrics.render()).not.toContain('budget="db"');
    await end();
  });
});
