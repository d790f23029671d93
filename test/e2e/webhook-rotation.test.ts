import { randomBytes, X509Certificate } from 'node:crypto';
import { Agent, request as httpsRequest } from 'node:https';
import type { ValidatingWebhookConfiguration } from 'kubernetes-types/admissionregistration/v1.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operatorName, webhookPaths } from '../../packages/holdfast/src/api/installation-names.ts';
import { label } from '../../packages/holdfast/src/api/names.ts';
import type { ResourceName } from '../../packages/holdfast/src/kube/client/client.ts';
import { realClock } from '../../packages/holdfast/src/kube/time/clock.ts';
import { resources } from '../../packages/holdfast/src/observe/resources.ts';
import { createWebhookMetrics } from '../../packages/holdfast/src/operator/admission/wire/exchange.ts';
import { startWebhookServer, type WebhookServer } from '../../packages/holdfast/src/operator/admission/wire/server.ts';
import { webhookNames } from '../../packages/holdfast/src/operator/certificates/names.ts';
import { secretOf, secretTexts } from '../../packages/holdfast/src/operator/certificates/secret.ts';
import {
  type CertificatePolicy,
  defaultCertificatePolicy,
} from '../../packages/holdfast/src/trust/certificate-policy.ts';
import { issueLeaf } from '../../packages/holdfast/src/trust/material.ts';
import { readSecret } from '../../packages/holdfast/src/trust/read-certificates.ts';
import { segmentsOf } from '../../packages/holdfast/src/trust/webhook-trust.ts';
import { reviewText } from '../../packages/holdfast/test/operator/admission/reviews.ts';
import { allowing } from '../../packages/holdfast/test/operator/admission/support.ts';
import { formerAuthority } from '../../packages/holdfast/test/operator/certificates/former-authority.ts';
import { JumpClock } from '../../packages/holdfast/test/operator/certificates/jump-clock.ts';
import {
  type Bed,
  bedOn,
  eventually,
  forgetAll,
  logInto,
  type Replica,
  readConfiguration,
  readSecretObject,
  register,
  secretPlace,
  startReplica,
  trustedCounts,
} from '../../packages/holdfast/test/operator/certificates/support.ts';
import { testCluster } from '../support/cluster.ts';
import { unwrap } from '../support/unwrap.ts';
import { askThrough } from './support/asked-webhook.ts';

const day = 24 * 60 * 60 * 1000;

/** So long that what was made almost a year ago is good today: those who check certificates go by today. */
const policy: CertificatePolicy = {
  ...defaultCertificatePolicy,
  authorityRenewBeforeMs: 400 * day,
  leafLifetimeMs: 390 * day,
};

const cluster = await testCluster();
const guarded = await cluster.newNamespace();
let clock: JumpClock;
let bed: Bed;
let replicas: readonly Replica[] = [];
let servers: readonly WebhookServer[] = [];
let stopLeading: () => Promise<void> = () => Promise.resolve();

const issuers = () =>
  replicas.map(({ certificates }) => new X509Certificate(certificates.current()?.certificate ?? '').issuer);
const allTrust = (count: number) => async () => (await trustedCounts(bed)).every((one) => one === count);
const carried = async () => segmentsOf(await readConfiguration(bed));

async function serve(replica: Replica): Promise<WebhookServer> {
  const keyPair = await replica.certificates.first;
  if (keyPair === undefined) throw new Error('it was closed');
  const server = await startWebhookServer({
    host: '127.0.0.1',
    port: 0,
    keyPair,
    handlers: new Map([webhookPaths.pods, webhookPaths.budgets, webhookPaths.pinning].map((path) => [path, allowing])),
    callers: { paths: replica.certificates.paths },
    clock: realClock,
    log: logInto([]),
    metrics: createWebhookMetrics(replica.metrics),
  });
  replica.certificates.onChange((pair) => expect(server.rotate(pair)).toEqual({ ok: true }));
  return server;
}

async function start({ leading = true } = {}): Promise<void> {
  replicas = [startReplica(bed, { clock, policy }), startReplica(bed, { clock, policy })];
  stopLeading = (leading ? replicas[0]?.lead() : undefined) ?? (() => Promise.resolve());
  servers = await Promise.all(replicas.map(serve));
}

async function stop(): Promise<void> {
  await stopLeading();
  for (const { certificates } of replicas) await certificates.close();
  for (const server of servers) await server.close(0);
}

beforeAll(async () => {
  bed = await bedOn(cluster.kubeconfig);
  await forgetAll(bed);
  const labels = { [label.guard]: 'enabled' };
  await bed.admin.patch(resources.namespaces, { name: guarded }, { type: 'merge', body: { metadata: { labels } } });
  const spec = { nodeName: 'node-1', containers: [{ name: 'main', image: 'web:1' }] };
  unwrap(await bed.admin.create(resources.pods, { namespace: guarded }, { metadata: { name: 'web-0' }, spec }));
});

afterAll(async () => {
  await forgetAll(bed);
  await bed?.close();
  await cluster.close();
});

/** A call as an API server makes it that just looked at the configuration: the path, and whom to trust, are of one moment. */
async function callAsRead(port: number): Promise<void> {
  const { webhooks = [] } = await readConfiguration(bed);
  const { caBundle = '', url = '' } = webhooks[0]?.clientConfig ?? {};
  const ca = Buffer.from(caBundle, 'base64').toString();
  const { pathname } = new URL(url);
  await post(port, pathname, ca).then((code) => {
    if (code !== 200) throw new Error(`answered ${code}`);
  });
}

function post(port: number, pathname: string, ca: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ ca });
    const headers = { 'content-type': 'application/json' };
    const path = `${pathname}?timeout=10s`;
    const sent = httpsRequest({ host: '127.0.0.1', port, path, method: 'POST', agent, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(reviewText());
  });
}

/** Calls all the time: through the API server, and as one that just looked begins to. */
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
      for (const { port } of servers) await callAsRead(port).catch((error) => failures.push(String(error)));
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

describe('[I13] a rotation of everything', () => {
  beforeAll(async () => {
    clock = new JumpClock(-340 * day);
    await start();
    await register(bed.admin, `https://127.0.0.1:${servers[0]?.port}`);
    await eventually(allTrust(1), 'the first authority to be published');
  });
  afterAll(stop);

  it('while webhooks are being called makes no call fail, and what was replaced proves nothing any more', async () => {
    const calls = callInALoop();
    const [before] = issuers();
    const first = await carried();
    expect(first).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    await calls.more();
    clock.jump(335 * day);
    await eventually(allTrust(2), 'the new authority to be published');
    expect(issuers()).toEqual([before, before]);
    await eventually(async () => (await carried()).join() !== first.join(), 'a new path');
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
    await expectRefused(first);
  });

  it('another leader renews the path, and no call fails', async () => {
    const calls = callInALoop();
    const before = await carried();
    await calls.more();
    await stopLeading();
    clock.jump(2 * policy.settleMs);
    stopLeading = replicas[1]?.lead() ?? stopLeading;
    await eventually(async () => (await carried()).join() !== before.join(), 'a path of the new leader');
    await calls.more();
    await calls.stop();
    expect(calls.failures).toEqual([]);
  });

  it('a manifest that is applied again brings back the bare path for as long as it must, and no call fails', async () => {
    const calls = callInALoop();
    await calls.more();
    await register(bed.admin, `https://127.0.0.1:${servers[0]?.port}`);
    await eventually(async () => !(await carried()).includes(''), 'the path of the leader');
    await calls.more();
    await calls.stop();
    expect(calls.failures).toEqual([]);
    await eventually(async () => {
      clock.jump(policy.pathGraceMs / 3);
      return isRefused('');
    }, 'the bare path to prove nothing');
  });
});

describe('[I13] an installation from before', () => {
  beforeAll(async () => {
    await forgetAll(bed);
    clock = new JumpClock(0);
    await start();
    await register(bed.admin, `https://127.0.0.1:${servers[0]?.port}`);
    await eventually(allTrust(1), 'the authority to be published');
    await makeOld();
  });
  afterAll(stop);

  /** The Secret without paths, and the configurations with bare ones that API servers trust, as the version before left them. */
  async function makeOld(): Promise<void> {
    await stopLeading();
    for (const server of servers) await server.close(0);
    for (const { certificates } of replicas) await certificates.close();
    const { data: { paths: _, ...data } = {}, ...secret } = await readSecretObject(bed);
    unwrap(await bed.admin.replace(resources.secrets, secretPlace, { ...secret, data }));
    await start();
    await stopLeading();
    await register(bed.admin, `https://127.0.0.1:${servers[0]?.port}`);
    expect(await carried()).toEqual(['']);
  }

  it('is upgraded without a failed call, and then its bare paths prove nothing', async () => {
    const calls = callInALoop();
    await calls.more();
    stopLeading = replicas[0]?.lead() ?? stopLeading;
    await eventually(async () => !(await carried()).includes(''), 'the first path');
    expect(await isRefused('')).toBe(false);
    await calls.more();
    await eventually(async () => {
      clock.jump(policy.pathGraceMs / 3);
      return isRefused('');
    }, 'the bare path to prove nothing');
    await calls.more();
    await calls.stop();
    expect(calls.failures).toEqual([]);
  });

  it('keeps its bare paths while replicas of two versions serve', async () => {
    await makeOld();
    const names = ['old', 'new'];
    for (const name of names) await addReplicaPod(name);
    stopLeading = replicas[0]?.lead() ?? stopLeading;
    await eventually(async () => (await readSecretObject(bed)).data?.['paths'] !== undefined, 'paths in the Secret');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await carried()).toEqual(['']);
    await removeReplicaPod('old');
    await eventually(async () => {
      clock.jump(1_000);
      return !(await carried()).includes('');
    }, 'the first path');
    await removeReplicaPod('new');
  });
});

describe('[I13] an installation whose authority may sign anything', () => {
  const names = webhookNames(secretPlace.namespace, 'https://127.0.0.1');

  /** As version 0.1 left it. */
  async function installFormer(): Promise<void> {
    const material = { nowMs: Date.now(), policy, randomBytes };
    const former = formerAuthority(material);
    const leaf = issueLeaf(former, names, material);
    const texts = [
      ['ca.crt', former.certificate],
      ['ca.key', former.key],
      ['tls.crt', leaf.certificate],
      ['tls.key', leaf.key],
    ] as const;
    unwrap(
      await bed.admin.create(
        resources.secrets,
        { namespace: secretPlace.namespace },
        secretOf(secretPlace, new Map(texts)),
      ),
    );
    await start({ leading: false });
    await register(bed.admin, `https://127.0.0.1:${servers[0]?.port}`);
    for (const resource of [resources.validating, resources.mutating]) await trust(resource, former.certificate);
  }

  async function trust(resource: ResourceName, certificate: string): Promise<void> {
    const place = { name: operatorName };
    const { webhooks = [], ...rest } = unwrap(await bed.admin.get<ValidatingWebhookConfiguration>(resource, place));
    const caBundle = Buffer.from(certificate).toString('base64');
    const trusting = webhooks.map((one) => ({ ...one, clientConfig: { ...one.clientConfig, caBundle } }));
    unwrap(await bed.admin.replace(resource, place, { ...rest, webhooks: trusting }));
  }

  async function limited(): Promise<boolean> {
    const { data = {} } = await readSecretObject(bed);
    return readSecret(secretTexts(data), names).stored.signerLimited;
  }

  beforeAll(async () => {
    await forgetAll(bed);
    clock = new JumpClock(0);
    await installFormer();
  });
  afterAll(stop);

  it('gets one that is limited to its own names, and no call fails', async () => {
    const calls = callInALoop();
    await calls.more();
    const [before] = issuers();
    expect(await limited()).toBe(false);
    stopLeading = replicas[0]?.lead() ?? stopLeading;
    await eventually(allTrust(2), 'the new authority to be published');
    expect(issuers()).toEqual([before, before]);
    await calls.more();
    await eventually(() => {
      clock.jump(policy.settleMs / 3);
      return issuers().every((issuer) => issuer !== before);
    }, 'a leaf of the new authority');
    await calls.more();
    await eventually(async () => {
      clock.jump(policy.pickupMs / 3);
      return allTrust(1)();
    }, 'the former authority to be dropped');
    expect(await limited()).toBe(true);
    await calls.more();
    await calls.stop();
    expect(calls.failures).toEqual([]);
  });

  it.each([
    ['of another server is refused by the API server', '127.0.0.2', false],
    ['of its own names is not', '127.0.0.1', true],
  ])('what is signed with the key of the new one %s', async (_name, address, accepted) => {
    const { data = {} } = await readSecretObject(bed);
    const { signer } = readSecret(secretTexts(data), names);
    if (signer === undefined) throw new Error('the Secret has no authority that signs');
    const material = { nowMs: Date.now(), policy, randomBytes };
    const leaf = issueLeaf(signer, { dnsNames: [], addresses: [address] }, material);
    const answer = await askThrough(cluster, guarded, { address, leaf, authority: signer.certificate });
    if (accepted) expect(answer.code, answer.text).toBe(201);
    else expect(answer.text).toMatch(/failed calling webhook.*(name constraint|permitted subtree|not permitted)/s);
  });
});

async function isRefused(segment: string): Promise<boolean> {
  const { webhooks = [] } = await readConfiguration(bed);
  const ca = Buffer.from(webhooks[0]?.clientConfig.caBundle ?? '', 'base64').toString();
  const path = segment === '' ? webhookPaths.pods : `/${segment}${webhookPaths.pods}`;
  const codes = await Promise.all(servers.map(({ port }) => post(port, path, ca)));
  return codes.every((code) => code === 404);
}

async function expectRefused(segments: readonly string[]): Promise<void> {
  for (const segment of segments) expect(await isRefused(segment)).toBe(true);
}

const namespace = secretPlace.namespace;

/** A replica of the operator as a rolling update has it: of one template or another. */
async function addReplicaPod(template: string): Promise<void> {
  const accounts = { group: '', version: 'v1', plural: 'serviceaccounts', namespaced: true } as const;
  await bed.admin.create(accounts, { namespace }, { metadata: { name: 'default' } });
  const labels = {
    'app.kubernetes.io/name': 'holdfast',
    'app.kubernetes.io/component': 'operator',
    'pod-template-hash': template,
  };
  const spec = { nodeName: 'node-1', containers: [{ name: 'operator', image: `holdfast:${template}` }] };
  const pod = { metadata: { name: `holdfast-${template}`, labels }, spec };
  unwrap(await bed.admin.create(resources.pods, { namespace }, pod));
}

async function removeReplicaPod(template: string): Promise<void> {
  const place = { namespace, name: `holdfast-${template}` };
  await bed.admin.delete(resources.pods, place, { gracePeriodSeconds: 0 });
}
