import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unwrap } from '../../../src/kube/outcome/failure.ts';
import { realClock } from '../../../src/kube/time/clock.ts';
import { startWebhookServer, type WebhookServer } from '../../../src/operator/admission/server.ts';
import { createWebhookMetrics } from '../../../src/operator/admission/webhook-metrics.ts';
import { type CertificatePolicy, defaultCertificatePolicy } from '../../../src/operator/certificates/policy.ts';
import { webhookPaths } from '../../../src/operator/install/names.ts';
import { resources } from '../../../src/operator/resources.ts';
import { allowing } from '../admission/support.ts';
import { JumpClock } from './jump-clock.ts';
import {
  type Bed,
  bundles,
  eventually,
  handshake,
  logInto,
  type Replica,
  register,
  startBed,
  startReplica,
  trustedCounts,
} from './support.ts';

const day = 24 * 60 * 60 * 1000;

/** So long that what was made almost a year ago is good today: those who check certificates go by today. */
const policy: CertificatePolicy = {
  ...defaultCertificatePolicy,
  authorityRenewBeforeMs: 400 * day,
  leafLifetimeMs: 390 * day,
};
const clock = new JumpClock(-340 * day);

const guarded = 'shop';
const core = (plural: string) => ({ group: '', version: 'v1', plural, namespaced: true }) as const;
let bed: Bed;
let replicas: readonly Replica[] = [];
let servers: readonly WebhookServer[] = [];
let stopLeading: () => Promise<void> = () => Promise.resolve();

const issuers = () =>
  replicas.map(({ certificates }) => new X509Certificate(certificates.current()?.certificate ?? '').issuer);
const allTrust = (count: number) => async () => (await trustedCounts(bed)).every((one) => one === count);

async function serve(replica: Replica): Promise<WebhookServer> {
  const keyPair = await replica.certificates.first;
  if (keyPair === undefined) throw new Error('it was closed');
  const server = await startWebhookServer({
    host: '127.0.0.1',
    port: 0,
    keyPair,
    handlers: new Map([webhookPaths.pods, webhookPaths.budgets].map((path) => [path, allowing])),
    callers: { paths: replica.certificates.paths },
    clock: realClock,
    log: logInto([]),
    metrics: createWebhookMetrics(replica.metrics),
  });
  replica.certificates.onChange((pair) => expect(server.rotate(pair)).toEqual({ ok: true }));
  return server;
}

async function createPod(): Promise<void> {
  const labels = { 'holdfast.dev/guard': 'enabled' };
  unwrap(await bed.admin.create(resources.namespaces, {}, { metadata: { name: guarded, labels } }));
  const namespace = guarded;
  unwrap(await bed.admin.create(core('serviceaccounts'), { namespace }, { metadata: { name: 'default' } }));
  const spec = { nodeName: 'node-1', containers: [{ name: 'main', image: 'web:1' }] };
  unwrap(await bed.admin.create(resources.pods, { namespace }, { metadata: { name: 'web-0' }, spec }));
}

beforeAll(async () => {
  bed = await startBed();
  await createPod();
  replicas = [startReplica(bed, { clock, policy }), startReplica(bed, { clock, policy })];
  stopLeading = replicas[0]?.lead() ?? stopLeading;
  servers = await Promise.all(replicas.map(serve));
  await register(bed.admin, `https://127.0.0.1:${servers[0]?.port}`);
  await eventually(allTrust(1), 'the first authority to be published');
});

afterAll(async () => {
  await stopLeading();
  for (const { certificates } of replicas) await certificates.close();
  await bed?.close();
  for (const server of servers) await server.close(0);
});

/** Calls all the time: through the API server, and as an API server that just looked would begin to. */
function callInALoop() {
  const failures: string[] = [];
  const counts = [0, 0, 0];
  let calling = true;
  const evict = async (loop: 0 | 1) => {
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web-0', namespace: guarded } };
    const place = { namespace: guarded, name: 'web-0', subresource: 'eviction' };
    while (calling) {
      const answer = await bed.admin.create(resources.pods, place, body, { dryRun: true });
      if (!answer.ok) failures.push(answer.failure.message);
      counts[loop] = (counts[loop] ?? 0) + 1;
    }
  };
  const connect = async () => {
    while (calling) {
      const [bundle = ''] = await bundles(bed);
      for (const { port } of servers) await handshake(port, bundle).catch((error) => failures.push(String(error)));
      counts[2] = (counts[2] ?? 0) + 1;
    }
  };
  const loops = Promise.all([evict(0), evict(1), connect()]);
  return {
    failures,
    /** Those under way have ended, and others have begun. */
    more: () => {
      const soFar = [...counts];
      return eventually(() => counts.every((count, loop) => count > (soFar[loop] ?? 0) + 2), 'calls');
    },
    stop: async () => {
      calling = false;
      await loops;
    },
  };
}

describe('a rotation of everything', () => {
  it('while webhooks are being called makes no call fail', async () => {
    const calls = callInALoop();
    const [before] = issuers();
    await calls.more();
    clock.jump(335 * day);
    await eventually(allTrust(2), 'the new authority to be published');
    expect(issuers()).toEqual([before, before]);
    // No call may take longer than the time to settle, which is about to pass in an instant.
    await calls.more();
    await eventually(() => {
      clock.jump(policy.settleMs / 3);
      return issuers().every((issuer) => issuer !== before);
    }, 'a leaf of the new authority');
    expect(new Set(await trustedCounts(bed))).toEqual(new Set([2]));
    await calls.more();
    await eventually(async () => {
      clock.jump(policy.pickupMs / 3);
      return allTrust(1)();
    }, 'the old authority to go');
    await calls.more();
    await calls.stop();
    expect(calls.failures).toEqual([]);
  });
});
