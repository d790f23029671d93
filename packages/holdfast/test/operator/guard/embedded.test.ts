import { afterAll, beforeAll, expect, it } from 'vitest';
import { pubFor } from '../../../../../test/support/fleet.ts';
import { unwrap } from '../../../../../test/support/unwrap.ts';
import type { Fields } from '../../../../base/src/json.ts';
import type { Namespace } from '../../../../base/src/meta.ts';
import { label } from '../../../src/api/names.ts';
import { collections } from '../../../src/core/sync.ts';
import { World } from '../../../src/core/world/world.ts';
import { ObjectCache } from '../../../src/kube/reflector/cache.ts';
import { Reflector } from '../../../src/kube/reflector/reflector.ts';
import { realClock } from '../../../src/kube/time/clock.ts';
import { ForeignWebhooks } from '../../../src/observe/foreign-webhooks/foreign-webhooks.ts';
import { resources } from '../../../src/observe/resources.ts';
import { defaultGuardLimits, GuardController } from '../../../src/operator/guard/guard-controller.ts';
import { GuardState } from '../../../src/operator/guard/guard-state.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { until } from '../../kube/support/server.ts';
import { aServer, ourConfiguration, type Server } from '../../observe/foreign-webhooks/support.ts';

let server: Server;

beforeAll(async () => {
  server = await aServer();
});

afterAll(() => server.close());

it('from a budget to a guarded namespace and back, on an API server', async () => {
  const { clients, client } = server;
  const traits = { watchList: true };
  const world = new World();
  for (const collection of collections) world.setSynced(collection, '1');
  const log = createLogger({ level: 'error', format: 'text', now: () => 0, write: (line) => problems.push(line) });
  const problems: string[] = [];
  const common = { clients, clock: realClock, random: () => 0.5, log, metrics: createMetrics() };
  const namespaces = new ObjectCache<Namespace>({ report: (error) => problems.push(String(error)) });
  const project = (object: Fields) => object as unknown as Namespace;
  const reflector = new Reflector<Namespace>({
    ...common,
    client: clients.watch,
    resource: resources.namespaces,
    project,
    sink: namespaces,
    traits,
  });
  const context = { ...common, world, namespace: 'holdfast-system' };
  const foreignWebhooks = new ForeignWebhooks({ context, traits, namespaces });
  const limits = { ...defaultGuardLimits, graceMs: 20, gatherMs: 1 };
  const controller = new GuardController({ context, views: { namespaces }, limits });
  const told: string[] = [];
  const guard = new GuardState({
    clock: realClock,
    namespaces,
    foreignWebhooks,
    own: 'holdfast-system',
    settleMs: 20,
    changed: (name) => told.push(`${name} ${guard.guardOf(name).kind}`),
  });
  namespaces.listen({
    delta: ({ item }) => {
      world.setNamespace(item);
      controller.namespace(item.metadata.name);
    },
  });
  unwrap(await client.create(resources.namespaces, {}, { metadata: { name: 'shop' } }));
  unwrap(await client.create(resources.validating, {}, ourConfiguration()));
  reflector.start();
  foreignWebhooks.start();
  guard.start();
  controller.start();
  controller.lead();
  await guard.settled;
  expect(guard.guardOf('shop')).toMatchObject({ kind: 'off', message: expect.stringContaining(label.guard) });

  world.upsertPub(pubFor('web', { maxUnavailable: 1 }));
  controller.namespace('shop');
  await until(() => guard.guardOf('shop').kind === 'on');
  await until(() => told.includes('shop on'));

  unwrap(await client.delete(resources.validating, { name: 'holdfast' }));
  await until(() => guard.guardOf('shop').kind === 'off');
  unwrap(await client.create(resources.validating, {}, ourConfiguration()));
  await until(() => guard.guardOf('shop').kind === 'on');

  world.deletePub('shop', 'web');
  controller.namespace('shop');
  await until(() => namespaces.get(undefined, 'shop')?.metadata.labels?.[label.guard] === undefined);
  expect(guard.guardOf('shop').kind).toBe('off');

  guard.close();
  await Promise.all([controller.close(), foreignWebhooks.close(), reflector.stop()]);
  expect(problems).toEqual([]);
});
