import { afterAll, beforeAll, expect, it } from 'vitest';
import { unwrap } from '../../../../../test/support/unwrap.ts';
import type { StatefulSet } from '../../../src/api/statefulset.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { realClock } from '../../../src/kube/time/clock.ts';
import { resources } from '../../../src/observe/resources.ts';
import { RolloutController } from '../../../src/operator/rollout/rollout-controller.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { aServer, type Server } from '../../observe/foreign-webhooks/support.ts';

let server: Server;
const namespace = 'shop';

beforeAll(async () => {
  server = await aServer();
  unwrap(await server.client.create(resources.namespaces, {}, { metadata: { name: namespace } }));
});

afterAll(() => server.close());

/** A set with an unreadable annotation. */
function set(name: string): object {
  const labels = { app: name };
  return {
    metadata: { name, annotations: { 'holdfast.dev/update-strategy': 'Enforced' } },
    spec: {
      serviceName: name,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:1' }] } },
    },
  };
}

async function shownOn(name: string): Promise<string> {
  for (;;) {
    const { metadata } = unwrap(await server.client.get<StatefulSet>(resources.statefulSets, { namespace, name }));
    const shown = metadata.annotations?.['holdfast.dev/rollout-state'];
    if (shown !== undefined) return shown;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function signal(): { readonly given: Promise<void>; give(): void } {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

/** Who reads the first set waits after that until it is let go, and tells when it has tried to write what it found. */
function held(client: KubeClient) {
  const [read, gate, written] = [signal(), signal(), signal()];
  const calls: Partial<Record<string | symbol, unknown>> = {
    get: async (...args: Parameters<KubeClient['get']>) => {
      const answer = await client.get(...args);
      if (args[1].name !== 'first') return answer;
      read.give();
      await gate.given;
      return answer;
    },
    patch: async (...args: Parameters<KubeClient['patch']>) => {
      const answer = await client.patch(...args);
      if (args[1].name === 'first') written.give();
      return answer;
    },
  };
  const slow = new Proxy(client, {
    get: (target, key) => calls[key] ?? (Reflect.get(target, key) as () => void).bind(target),
  });
  return { client: slow, read: read.given, letGo: gate.give, written: written.given };
}

it('a set that goes while it is looked at is forgotten all the same', async () => {
  const metrics = createMetrics();
  const { client, read, letGo, written } = held(server.clients.rollouts);
  const log = createLogger({ level: 'error', format: 'text', now: () => 0, write: () => undefined });
  const clients = { ...server.clients, rollouts: client };
  const controller = new RolloutController({
    context: { clients, clock: realClock, random: () => 0.5, log, metrics },
    traits: { watchList: true },
    recorder: { record: () => undefined },
    limits: { gatherMs: 1 },
  });
  const leading = new AbortController();
  const led = controller.lead(leading.signal);
  const place = { namespace, name: 'first' };
  unwrap(await server.client.create(resources.statefulSets, { namespace }, set('first')));
  await read;
  unwrap(await server.client.delete(resources.statefulSets, place, {}));
  // What is seen of this one comes after the end of the first.
  unwrap(await server.client.create(resources.statefulSets, { namespace }, set('second')));
  expect(await shownOn('second')).toMatch(/^invalid: /);
  letGo();
  await written;
  await new Promise(setImmediate);
  expect(await metrics.render()).toContain('rollouts_stuck{reason="invalid"} 1');
  leading.abort();
  await led;
});
