import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aLedger, aPod, aReservation } from '../../../../../test/support/builders.ts';
import { pubFor } from '../../../../../test/support/fleet.ts';
import { unwrap } from '../../../../../test/support/unwrap.ts';
import type { Namespace, StringMap } from '../../../../base/src/meta.ts';
import { label } from '../../../src/api/names.ts';
import { collections } from '../../../src/core/sync.ts';
import { World } from '../../../src/core/world/world.ts';
import { ObjectCache } from '../../../src/kube/reflector/cache.ts';
import { resources } from '../../../src/observe/resources.ts';
import { defaultGuardLimits, GuardController } from '../../../src/operator/guard/guard-controller.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { createMetrics, type Metrics } from '../../../src/telemetry/metrics.ts';
import { until } from '../../kube/support/server.ts';
import { TestClock } from '../../kube/support/test-clock.ts';
import { aServer, type Server } from '../../observe/foreign-webhooks/support.ts';

/** The view is kept by hand, so that a test says what the controller has not seen yet. */

let server: Server;
let clock: TestClock;
let world: World;
let namespaces: ObjectCache<Namespace>;
let metrics: Metrics;
let lines: string[];
let controller: GuardController;
let shop: string;
let serial = 0;

beforeAll(async () => {
  server = await aServer();
});

afterAll(() => server.close());

beforeEach(async () => {
  clock = new TestClock();
  world = new World();
  for (const collection of collections) world.setSynced(collection, '1');
  namespaces = new ObjectCache<Namespace>({ report: (error) => expect(error).toBeUndefined() });
  metrics = createMetrics();
  lines = [];
  const log = createLogger({ level: 'info', format: 'text', now: () => 0, write: (line) => lines.push(line) });
  controller = new GuardController({
    context: { world, clients: server.clients, clock, log, metrics, namespace: 'holdfast-system' },
    views: { namespaces },
    // One after the other: what was touched first is done first.
    limits: { ...defaultGuardLimits, workers: 1 },
  });
  controller.start();
  controller.lead();
  shop = await create('shop');
});

afterEach(() => controller.close());

async function create(base: string, labels: StringMap = {}): Promise<string> {
  serial += 1;
  const name = `${base}-${serial}`;
  unwrap(await server.client.create(resources.namespaces, {}, { metadata: { name, labels } }));
  await see(name);
  return name;
}

function read(name: string): Promise<Namespace> {
  return server.client.get<Namespace>(resources.namespaces, { name }).then(unwrap);
}

/** The view catches up. */
async function see(name: string): Promise<void> {
  const namespace = await read(name);
  namespaces.upsert(namespace, '1');
  world.setNamespace(namespace);
  controller.namespace(name);
}

async function guardOf(name: string): Promise<string | undefined> {
  return (await read(name)).metadata.labels?.[label.guard];
}

function setGuard(name: string, value: string | null): Promise<unknown> {
  const body = { metadata: { labels: { [label.guard]: value } } };
  return server.client.patch(resources.namespaces, { name }, { type: 'merge', body }).then(unwrap);
}

function protect(name: string): void {
  const { metadata, ...pub } = pubFor('web', { maxUnavailable: 1 });
  world.upsertPub({ ...pub, metadata: { ...metadata, namespace: name } });
  controller.budgets([{ kind: 'PodUnavailableBudget', namespace: name, name: 'web' }]);
}

function expose(name: string): void {
  world.deletePub(name, 'web');
  controller.budgets([{ kind: 'PodUnavailableBudget', namespace: name, name: 'web' }]);
}

async function eventually(done: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await done()); waited += 5) {
    if (waited > 20_000) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function isGuarded(name: string): Promise<void> {
  await clock.advance(50);
  await eventually(async () => (await guardOf(name)) === 'enabled');
}

/** Everything that was to be done has been done: what comes last in the queue was. */
async function idle(): Promise<void> {
  await clock.advance(50);
  const last = await create('last');
  protect(last);
  await isGuarded(last);
}

async function writes(change: string, outcome: string): Promise<number> {
  const found = new RegExp(`guard_label_writes_total\\{change="${change}",outcome="${outcome}"\\} (\\d+)`).exec(
    await metrics.render(),
  );
  return Number(found?.[1] ?? 0);
}

/** A namespace that is guarded, and seen to be. */
async function guarded(): Promise<void> {
  protect(shop);
  await isGuarded(shop);
  await see(shop);
  await idle();
}

describe('the label is set', () => {
  it('on a namespace with a budget of ours, and nothing else is changed', async () => {
    const before = await create('other', { team: 'a' });
    const { labels, annotations } = (await read(before)).metadata;
    protect(before);
    await isGuarded(before);
    const after = (await read(before)).metadata;
    expect(after.labels).toEqual({ ...labels, [label.guard]: 'enabled' });
    expect(after.annotations).toEqual(annotations);
    expect(lines.join('')).toMatch(`msg="namespace is now guarded" namespace=${before}`);
  });

  it('on a namespace with a pod that has a probe', async () => {
    world.upsertPod(aPod('db').in(shop).probed('True').build());
    controller.namespace(shop);
    await isGuarded(shop);
  });

  it('although no change was reported, after a while', async () => {
    await idle();
    world.upsertPod(aPod('db').in(shop).probed('True').build());
    await clock.advance(60_000);
    await isGuarded(shop);
  });

  it('once, however long the view takes to show it', async () => {
    protect(shop);
    await isGuarded(shop);
    for (let i = 0; i < 3; i += 1) {
      controller.namespace(shop);
      await clock.advance(50);
    }
    await see(shop);
    await idle();
    // One for the namespace, one for what came after it.
    expect([await writes('enable', 'written'), await writes('enable', 'conflict')]).toEqual([2, 0]);
  });

  it('not where there is nothing to protect, nor where a person said no', async () => {
    const no = await create('no', { [label.guard]: 'disabled' });
    protect(no);
    controller.namespace(shop);
    await idle();
    expect([await guardOf(shop), await guardOf(no)]).toEqual([undefined, 'disabled']);
  });

  it('never on kube-system', async () => {
    await see('kube-system');
    protect('kube-system');
    await idle();
    expect(await guardOf('kube-system')).toBeUndefined();
  });

  it('only by who leads, who looks at everything at first', async () => {
    controller.resign();
    protect(shop);
    await clock.advance(120_000);
    controller.lead();
    controller.resign();
    await clock.advance(50);
    expect(await guardOf(shop)).toBeUndefined();
    controller.lead();
    await isGuarded(shop);
  });
});

describe('another client was faster', () => {
  it('a person who says no while we say yes wins', async () => {
    await setGuard(shop, 'disabled');
    protect(shop);
    await clock.advance(50);
    await eventually(async () => (await writes('enable', 'conflict')) > 0);
    expect(await guardOf(shop)).toBe('disabled');
    await see(shop);
    await clock.advance(60_000);
    await idle();
    expect(await guardOf(shop)).toBe('disabled');
  });

  it('a person who says no while we take the label away wins', async () => {
    await guarded();
    expose(shop);
    await clock.advance(59_000);
    await setGuard(shop, 'disabled');
    await clock.advance(2_000);
    await eventually(async () => (await writes('remove', 'conflict')) > 0);
    await see(shop);
    await clock.advance(60_000);
    await idle();
    expect(await guardOf(shop)).toBe('disabled');
  });

  it('after any other change it is tried again when the view has it', async () => {
    unwrap(
      await server.client.patch(
        resources.namespaces,
        { name: shop },
        { type: 'merge', body: { metadata: { annotations: { note: 'x' } } } },
      ),
    );
    protect(shop);
    await clock.advance(50);
    await eventually(async () => (await writes('enable', 'conflict')) > 0);
    await see(shop);
    await isGuarded(shop);
    expect((await read(shop)).metadata.annotations).toEqual({ note: 'x' });
  });

  it('a namespace that is gone meanwhile is nothing to worry about', async () => {
    namespaces.upsert({ metadata: { name: 'gone', uid: 'u', resourceVersion: '1' } }, '1');
    protect('gone');
    await idle();
    expect(await writes('enable', 'failed')).toBe(1);
    expect(lines.join('')).not.toMatch('could not be written');
  });

  it('another namespace of the same name is not taken for the one that was seen', async () => {
    const { metadata } = await read(shop);
    namespaces.upsert({ metadata: { ...metadata, uid: 'of-the-first' } }, '1');
    protect(shop);
    await idle();
    expect(await guardOf(shop)).toBeUndefined();
  });
});

describe('the label is taken away', () => {
  it('after there was nothing to protect for a while', async () => {
    await guarded();
    expose(shop);
    await clock.advance(59_000);
    await idle();
    expect(await guardOf(shop)).toBe('enabled');
    await clock.advance(2_000);
    await until(() => lines.join('').includes(`msg="namespace is no longer guarded" namespace=${shop}`));
    expect(await guardOf(shop)).toBeUndefined();
  });

  it('not when there is something again in time, and then the while begins again', async () => {
    await guarded();
    expose(shop);
    await clock.advance(50_000);
    protect(shop);
    await clock.advance(100);
    expose(shop);
    await clock.advance(50_000);
    await idle();
    expect(await guardOf(shop)).toBe('enabled');
  });

  it('not while a disruption that was allowed is under way', async () => {
    await guarded();
    expose(shop);
    world.setLedger(shop, aLedger([aReservation('web-0')]));
    await clock.advance(300_000);
    await idle();
    expect(await guardOf(shop)).toBe('enabled');
    world.setLedger(shop, aLedger());
    await clock.advance(6_000);
    await until(() => lines.join('').includes('no longer guarded'));
  });

  it('[I4] not by a leader that has not seen everything, nor before it has for a while', async () => {
    await guarded();
    controller.resign();
    await controller.close();
    const fresh = new World();
    for (const collection of collections) if (collection !== 'pods') fresh.setSynced(collection, '1');
    world = fresh;
    metrics = createMetrics();
    const log = createLogger({ level: 'info', format: 'text', now: () => 0, write: (line) => lines.push(line) });
    controller = new GuardController({
      context: { world, clients: server.clients, clock, log, metrics, namespace: 'holdfast-system' },
      views: { namespaces },
      limits: { ...defaultGuardLimits, workers: 1 },
    });
    controller.start();
    controller.lead();
    await clock.advance(300_000);
    fresh.setSynced('pods', '1');
    await clock.advance(59_000);
    await idle();
    expect([await guardOf(shop), await writes('remove', 'written')]).toEqual(['enabled', 0]);
    await clock.advance(10_000);
    await eventually(async () => (await guardOf(shop)) === undefined);
  });
});

it('what cannot be written is told, and tried again', async () => {
  const { metadata } = await read(shop);
  const { resourceVersion: _, ...unversioned } = metadata;
  namespaces.upsert({ metadata: unversioned }, '1');
  protect(shop);
  await clock.advance(50);
  await until(() => lines.join('').includes('the guard label of a namespace could not be written'));
  await see(shop);
  await isGuarded(shop);
});
