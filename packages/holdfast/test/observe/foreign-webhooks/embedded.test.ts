import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../../../../test/support/unwrap.ts';
import type { Namespace } from '../../../../base/src/meta.ts';
import type { ResourceName } from '../../../src/kube/client/client.ts';
import { ObjectCache } from '../../../src/kube/reflector/cache.ts';
import { type Clock, realClock } from '../../../src/kube/time/clock.ts';
import { ForeignWebhooks } from '../../../src/observe/foreign-webhooks/foreign-webhooks.ts';
import { resources } from '../../../src/observe/resources.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { createMetrics, type Metrics } from '../../../src/telemetry/metrics.ts';
import { until } from '../../kube/support/server.ts';
import { aServer, ourConfiguration, type Server } from './support.ts';

let server: Server;

beforeAll(async () => {
  server = await aServer();
});

afterAll(() => server.close());

interface Here {
  readonly foreignWebhooks: ForeignWebhooks;
  readonly metrics: Metrics;
  readonly lines: string[];
  changes: number;
  /** Added to the clock that silence is measured by. */
  silentMs: number;
}

const namespaces = new ObjectCache<Namespace>({ report: () => {} });
namespaces.replace([{ metadata: { name: 'shop', labels: { team: 'a' } } }, { metadata: { name: 'bare' } }], '1');

function look(): Here {
  const lines: string[] = [];
  const metrics = createMetrics();
  const log = createLogger({ level: 'info', format: 'text', now: () => 0, write: (line) => lines.push(line) });
  const clock: Clock = { ...realClock, monotonic: () => realClock.monotonic() + here.silentMs };
  const context = { clients: server.clients, clock, random: () => 0.5, log, metrics };
  const foreignWebhooks = new ForeignWebhooks({ context, traits: { watchList: true }, namespaces });
  const here: Here = { foreignWebhooks, metrics, lines, changes: 0, silentMs: 0 };
  foreignWebhooks.listen(() => {
    here.changes += 1;
  });
  return here;
}

const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods/eviction'] };

function webhook(name: string, more: object = {}): object {
  const common = { sideEffects: 'None', admissionReviewVersions: ['v1'] };
  const clientConfig = { service: { name: 'other', namespace: 'other', path: '/' } };
  return { name, clientConfig, rules: [rule], ...common, ...more };
}

async function register(resource: ResourceName, name: string, ...webhooks: readonly object[]): Promise<void> {
  unwrap(await server.client.create(resource, {}, { metadata: { name }, webhooks }));
}

beforeEach(async () => {
  for (const resource of [resources.validating, resources.mutating]) {
    unwrap(await server.client.deleteCollection(resource, {}));
  }
});

describe('foreign webhooks on evictions', () => {
  it('[P9] are assumed as long as it is unknown', async () => {
    const { foreignWebhooks } = look();
    expect(foreignWebhooks.synced).toBe(false);
    expect(foreignWebhooks.foreignEvictionWebhook('shop')).toMatch('has not seen the webhook configurations yet');
    expect(foreignWebhooks.kruiseOwnsPubs()).toBe(false);
    await foreignWebhooks.close();
  });

  it('[P9] are seen to come and go, named, counted, and never confused with our own', async () => {
    unwrap(await server.client.create(resources.validating, {}, ourConfiguration()));
    const here = look();
    const { foreignWebhooks } = here;
    foreignWebhooks.start();
    await until(() => foreignWebhooks.synced);
    expect(foreignWebhooks.foreignEvictionWebhook('shop')).toBeUndefined();
    expect(here.changes).toBe(1);
    await register(resources.mutating, 'other', webhook('look.other.dev'));
    await until(() => foreignWebhooks.foreignEvictionWebhook('shop') !== undefined);
    expect(foreignWebhooks.foreignEvictionWebhook('shop')).toBe('look.other.dev of MutatingWebhookConfiguration other');
    expect(here.changes).toBe(2);
    expect(await here.metrics.render()).toMatch('holdfast_foreign_eviction_webhook 1');
    expect(here.lines.join('')).toMatch('webhooks="look.other.dev of MutatingWebhookConfiguration other"');
    unwrap(await server.client.delete(resources.mutating, { name: 'other' }));
    await until(() => foreignWebhooks.foreignEvictionWebhook('shop') === undefined);
    expect(await here.metrics.render()).toMatch('holdfast_foreign_eviction_webhook 0');
    await foreignWebhooks.close();
  });

  it('matter where their namespaceSelector reaches', async () => {
    const namespaceSelector = { matchLabels: { team: 'b' } };
    await register(resources.validating, 'other', webhook('b.other.dev', { namespaceSelector }));
    const { foreignWebhooks } = look();
    foreignWebhooks.start();
    await until(() => foreignWebhooks.synced);
    expect(foreignWebhooks.foreignEvictionWebhook('shop')).toBeUndefined();
    expect(foreignWebhooks.foreignEvictionWebhook('bare')).toBeUndefined();
    expect(foreignWebhooks.foreignEvictionWebhook('never-seen')).toMatch('b.other.dev');
    await foreignWebhooks.close();
  });

  it('[P9] are assumed again when nothing was heard for too long', async () => {
    const here = look();
    const { foreignWebhooks } = here;
    foreignWebhooks.start();
    await until(() => foreignWebhooks.synced);
    here.silentMs = 150_000;
    expect(foreignWebhooks.foreignEvictionWebhook('shop')).toBeUndefined();
    here.silentMs = 210_000;
    expect(foreignWebhooks.foreignEvictionWebhook('shop')).toMatch(
      'has not heard from the watch of webhook configurations for 210 seconds',
    );
    await foreignWebhooks.close();
  });
});

it('Kruise comes and goes, and listeners are told', async () => {
  const here = look();
  const { foreignWebhooks } = here;
  foreignWebhooks.start();
  await until(() => foreignWebhooks.synced);
  const rules = [{ ...rule, apiGroups: ['policy.kruise.io'], resources: ['podunavailablebudgets'] }];
  const name = 'kruise-validating-webhook-configuration';
  await register(resources.validating, name, webhook('vpodunavailablebudget.kb.io', { rules }));
  await until(() => foreignWebhooks.kruiseOwnsPubs());
  expect(here.changes).toBe(2);
  unwrap(await server.client.delete(resources.validating, { name }));
  await until(() => !foreignWebhooks.kruiseOwnsPubs());
  expect(here.changes).toBe(3);
  await foreignWebhooks.close();
});

it('a listener that fails does not keep the others from hearing', async () => {
  const here = look();
  const { foreignWebhooks } = here;
  const heard: string[] = [];
  foreignWebhooks.listen(() => {
    throw new Error('not my day');
  });
  foreignWebhooks.listen(() => heard.push('heard'));
  foreignWebhooks.start();
  await until(() => heard.length > 0);
  expect(here.lines.join('')).toMatch('not my day');
  await foreignWebhooks.close();
});

it('our own configuration is shown, and a change of whom it trusts is no news', async () => {
  unwrap(await server.client.create(resources.validating, {}, ourConfiguration({ caBundle: 'one' })));
  const both = ['eviction', 'deletion', 'update', 'announcement', 'budgets'];
  const here = look();
  const { foreignWebhooks } = here;
  foreignWebhooks.start();
  await until(() => foreignWebhooks.synced);
  expect(foreignWebhooks.ownConfiguration()?.webhooks.map(({ name, hasTrust }) => [name, hasTrust])).toEqual(
    [
      ...both.map((name) => `${name}.holdfast.dev`),
      ...both.map((name) => `${name}.observe.holdfast.dev`),
      'probes.holdfast.dev',
    ].map((name) => [name, true]),
  );
  const path = '/webhooks/0/clientConfig/caBundle';
  const patch = (operation: object) =>
    server.client.patch(resources.validating, { name: 'holdfast' }, { type: 'json', operations: [operation as never] });
  unwrap(await patch({ op: 'replace', path, value: Buffer.from('two').toString('base64') }));
  unwrap(await patch({ op: 'remove', path }));
  await until(() => foreignWebhooks.ownConfiguration()?.webhooks[0]?.hasTrust === false);
  expect(here.changes).toBe(2);
  await foreignWebhooks.close();
});
