import { beforeEach, describe, expect, it } from 'vitest';
import { aPdb, aPod, ns } from '../../../../../test/support/builders.ts';
import { probeLeaseAnnotations } from '../../../src/api/probe-lease.ts';
import { World } from '../../../src/core/world/world.ts';
import { formerProbeLeaseName, probeLeaseName } from '../../../src/kube/probes/lease-name.ts';
import { Interner } from '../../../src/kube/projection/interner.ts';
import { NodeLeases } from '../../../src/observe/view/node-leases.ts';
import { ProbeLeaseSink, probeLeaseProjection } from '../../../src/observe/view/probe-leases.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { TestClock } from '../../kube/support/test-clock.ts';

const project = probeLeaseProjection(new Interner());

interface LeaseWish {
  readonly node?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly pods?: readonly string[];
  readonly renewTime?: string;
  readonly holder?: string;
  /** Default: its holder. */
  readonly listedBy?: string;
  readonly seconds?: number;
  readonly version?: string;
}

function lease(wish: LeaseWish = {}) {
  const { node = 'node-1', pods = ['uid-p'], renewTime = '1', holder = 'agent', seconds = 40, version = '5' } = wish;
  return project({
    metadata: {
      name: wish.name ?? probeLeaseName(node),
      namespace: wish.namespace ?? 'holdfast-agents',
      uid: 'lease',
      resourceVersion: version,
      annotations: probeLeaseAnnotations(node, wish.listedBy ?? holder, pods),
    },
    spec: { holderIdentity: holder, leaseDurationSeconds: seconds, renewTime },
  });
}

let world: World;
let clock: TestClock;
let told: string[];
let logged: string[];
let sink: ProbeLeaseSink;
let leases: NodeLeases;

beforeEach(() => {
  world = new World();
  clock = new TestClock();
  told = [];
  logged = [];
  world.upsertPdb(aPdb('web', { app: 'web' }, { maxUnavailable: 1 }));
  world.upsertPod(aPod('p').labels({ app: 'web' }).probed('True').build());
  const log = createLogger({ level: 'warn', format: 'text', write: (line) => void logged.push(line), now: () => 0 });
  const touched = {
    budgets: (refs: Iterable<{ readonly name: string }>) => void told.push([...refs].map(({ name }) => name).join(' ')),
    namespace: (name: string) => void told.push(`namespace ${name}`),
  };
  leases = new NodeLeases({ world, touched, clock });
  const synced = (version: string) => world.setSynced('leases', version);
  sink = new ProbeLeaseSink({ world, target: leases.own, clock, log, synced });
});

function isFresh(): boolean {
  world.advance(clock.now());
  return world.pod(ns, 'p')?.healthy ?? false;
}

describe('a probe lease', () => {
  it('is known only when all were seen', () => {
    expect(world.syncedVersion('leases')).toBeUndefined();
    sink.replace([], '7');
    expect(world.syncedVersion('leases')).toBe('7');
  });

  it('[I4] that is found at the start counts only when it is seen to be renewed', () => {
    sink.replace([lease()], '5');
    expect(isFresh()).toBe(false);
    sink.upsert(lease({ renewTime: '2' }), '6');
    expect(isFresh()).toBe(true);
  });

  it('that comes later counts at once', () => {
    sink.replace([], '4');
    sink.upsert(lease(), '5');
    expect(isFresh()).toBe(true);
  });

  it('[H2] [I4] is fresh for as long as it says after it was seen, whatever the clocks of others say', async () => {
    sink.replace([], '4');
    sink.upsert(lease({ renewTime: '2099-01-01T00:00:00.000000Z' }), '5');
    await clock.advance(39_999);
    expect(isFresh()).toBe(true);
    await clock.advance(1);
    expect(isFresh()).toBe(false);
  });

  it('[I4] is neither fresher nor staler when our own wall clock is set', async () => {
    sink.replace([], '4');
    sink.upsert(lease(), '5');
    clock.skewMs = 86_400_000;
    expect(isFresh()).toBe(true);
    clock.skewMs = -86_400_000;
    await clock.advance(40_000);
    expect(isFresh()).toBe(false);
  });

  it('[I4] that is changed without being renewed is not fresh for longer', async () => {
    sink.replace([], '4');
    sink.upsert(lease(), '5');
    await clock.advance(30_000);
    sink.upsert(lease({ version: '6' }), '6');
    await clock.advance(10_000);
    expect(isFresh()).toBe(false);
  });

  it('[I4] that is listed again is not renewed by that', async () => {
    sink.replace([], '4');
    sink.upsert(lease(), '5');
    await clock.advance(30_000);
    sink.replace([lease()], '9');
    await clock.advance(10_000);
    expect(isFresh()).toBe(false);
  });

  it('[I4] that was renewed while nothing was heard counts from when something was last heard', async () => {
    sink.replace([], '4');
    sink.upsert(lease(), '5');
    await clock.advance(20_000);
    sink.replace([lease({ renewTime: '2' })], '9');
    await clock.advance(19_999);
    expect(isFresh()).toBe(true);
    await clock.advance(1);
    expect(isFresh()).toBe(false);
  });

  it('[I4] whose renewals come all at once after a silence counts from before it, and from then on as ever', async () => {
    sink.replace([], '4');
    sink.upsert(lease(), '5');
    await clock.advance(60_000);
    sink.upsert(lease({ renewTime: '2' }), '6');
    await clock.advance(999);
    sink.upsert(lease({ renewTime: '3' }), '7');
    expect(isFresh()).toBe(false);
    await clock.advance(1);
    sink.upsert(lease({ renewTime: '4' }), '8');
    expect(isFresh()).toBe(true);
    await clock.advance(39_999);
    expect(isFresh()).toBe(true);
  });

  it('stays fresh in a cluster of one node, where nothing is heard between two renewals', async () => {
    sink.replace([], '4');
    for (let renewal = 1; renewal <= 20; renewal += 1) {
      sink.upsert(lease({ renewTime: String(renewal) }), String(4 + renewal));
      expect(isFresh()).toBe(true);
      await clock.advance(10_000);
      expect(isFresh()).toBe(true);
    }
  });

  it('that another agent takes over is renewed', async () => {
    sink.replace([lease()], '4');
    sink.upsert(lease({ holder: 'another' }), '5');
    expect(isFresh()).toBe(true);
  });

  it('[I4] that a client takes under another name, list and all, counts no longer, however often it is renewed', () => {
    sink.replace([], '4');
    sink.upsert(lease(), '5');
    for (const renewTime of ['1', '2', '3']) {
      sink.upsert(lease({ holder: 'thief', listedBy: 'agent', renewTime }), '6');
      expect(isFresh()).toBe(false);
    }
    expect(logged.join('')).toContain('holdfast.dev/listed-by');
    sink.upsert(lease({ renewTime: '4' }), '7');
    expect(isFresh()).toBe(true);
  });

  it('[I4] that was of no use and is put right again is as old as it was', async () => {
    sink.replace([], '4');
    sink.upsert(lease(), '5');
    await clock.advance(30_000);
    sink.upsert(lease({ holder: 'thief', listedBy: 'agent' }), '6');
    sink.upsert(lease(), '7');
    expect(isFresh()).toBe(true);
    await clock.advance(10_000);
    expect(isFresh()).toBe(false);
  });

  it('[H2] speaks for the pods that it lists, and for no others', () => {
    sink.replace([], '4');
    sink.upsert(lease({ pods: ['uid-other'] }), '5');
    expect(isFresh()).toBe(false);
    sink.upsert(lease({ pods: ['uid-other', 'uid-p'], renewTime: '2' }), '6');
    expect(isFresh()).toBe(true);
    sink.upsert(lease({ pods: [], renewTime: '3' }), '7');
    expect(isFresh()).toBe(false);
  });

  it('[I4] from which a client strikes a pod does not confirm it, renewed or not', () => {
    sink.replace([], '4');
    sink.upsert(lease(), '5');
    sink.upsert(lease({ pods: [], version: '6' }), '6');
    expect(isFresh()).toBe(false);
  });

  it('[I4] that is deleted, or gone when all are listed again, counts no longer', () => {
    sink.replace([], '4');
    sink.upsert(lease(), '5');
    sink.remove(lease(), '6');
    expect(isFresh()).toBe(false);
    sink.upsert(lease({ renewTime: '2' }), '7');
    expect(isFresh()).toBe(true);
    sink.replace([], '8');
    expect(isFresh()).toBe(false);
  });

  it('[I4] of another node, or under another name, does not count', () => {
    sink.replace([], '4');
    sink.upsert(lease({ node: 'node-2' }), '5');
    expect(isFresh()).toBe(false);
    sink.upsert(lease({ name: 'mine' }), '6');
    expect(isFresh()).toBe(false);
    expect(logged.join('')).toContain('node node-1 has another lease');
  });

  it('[I4] that can no longer be read counts no longer', () => {
    sink.replace([], '4');
    sink.upsert(lease(), '5');
    sink.upsert(lease({ seconds: 0, renewTime: '2' }), '6');
    expect(isFresh()).toBe(false);
    expect(logged.join('')).toContain('spec.leaseDurationSeconds');
  });

  it('[I4] that asks to be trusted for days is not', async () => {
    sink.replace([], '4');
    sink.upsert(lease({ seconds: 1_000_000 }), '5');
    await clock.advance(3_600_000);
    expect(isFresh()).toBe(false);
  });
});

describe('budgets over probed pods', () => {
  it('are touched when a lease comes, changes what it says, runs out and goes; not at every renewal', async () => {
    sink.replace([], '4');
    sink.upsert(lease(), '5');
    expect(told.splice(0)).toEqual(['web']);
    sink.upsert(lease({ renewTime: '2' }), '6');
    expect(told).toEqual([]);
    sink.upsert(lease({ renewTime: '3', pods: [] }), '7');
    expect(told.splice(0)).toEqual(['web']);
    sink.upsert(lease({ renewTime: '4' }), '8');
    expect(told.splice(0)).toEqual(['web']);
    await clock.advance(40_000);
    expect(told.splice(0)).toEqual(['web']);
    sink.bookmark('8');
    sink.upsert(lease({ renewTime: '5' }), '9');
    told.length = 0;
    sink.remove(lease(), '10');
    expect(told).toEqual(['web']);
  });

  it('are touched by each lease that runs out, in whatever order they do', async () => {
    world.upsertPod(aPod('q').on('node-2').labels({ app: 'web' }).probed('True').build());
    sink.replace([], '4');
    sink.upsert(lease(), '5');
    sink.upsert(lease({ node: 'node-2', pods: ['uid-q'], seconds: 10 }), '6');
    told.length = 0;
    await clock.advance(10_000);
    expect(told.splice(0)).toEqual(['web']);
    await clock.advance(29_999);
    expect(told).toEqual([]);
    await clock.advance(1);
    expect(told).toEqual(['web']);
  });

  it('are not touched any more when it is closed', async () => {
    sink.replace([], '4');
    sink.upsert(lease(), '5');
    told.length = 0;
    sink.close();
    await clock.advance(100_000);
    expect(told).toEqual([]);
  });
});

describe('while the agents of an earlier version are replaced', () => {
  const former = (wish: LeaseWish) =>
    lease({ name: formerProbeLeaseName('node-1'), namespace: 'holdfast-system', ...wish });
  let before: ProbeLeaseSink;

  beforeEach(() => {
    const log = createLogger({ level: 'warn', format: 'text', write: (line) => void logged.push(line), now: () => 0 });
    before = new ProbeLeaseSink({ world, target: leases.former, clock, log, synced: () => undefined });
    before.replace([], '1');
    sink.replace([], '1');
  });

  it('[A3] the lease beside the operator counts, by the name that it had', () => {
    before.upsert(lease({ namespace: 'holdfast-system' }), '2');
    expect(isFresh()).toBe(false);
    before.upsert(former({}), '3');
    expect(isFresh()).toBe(true);
  });

  it('[A3] and no longer once the new agent of the node has written, also while it knows of no pod', () => {
    before.upsert(former({}), '2');
    sink.upsert(lease({ pods: [] }), '3');
    expect(isFresh()).toBe(false);
    before.upsert(former({ renewTime: '2' }), '4');
    expect(isFresh()).toBe(false);
    sink.upsert(lease({ renewTime: '2' }), '5');
    expect(isFresh()).toBe(true);
    before.remove(former({}), '6');
    expect(isFresh()).toBe(true);
  });

  it('[A3] one of the new kind that cannot be read silences the former, and a deleted one does not', () => {
    before.upsert(former({}), '2');
    sink.upsert(lease({}), '3');
    sink.upsert(lease({ listedBy: 'another', renewTime: '2' }), '4');
    expect(isFresh()).toBe(false);
    sink.remove(lease({}), '5');
    expect(isFresh()).toBe(true);
  });
});
