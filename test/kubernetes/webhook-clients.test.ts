import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createPki, type KeyPair } from '../../packages/embedded-cluster/src/auth/pki.ts';
import { rbacObjects } from '../../packages/holdfast/src/install/manifests/rbac.ts';
import { defaultInstallValues } from '../../packages/holdfast/src/install/values/values.ts';
import { realClock } from '../../packages/holdfast/src/kube/time/clock.ts';
import { startTestbed, type Testbed } from '../../testbed/src/start.ts';
import { forgedReview } from '../e2e/support/forging.ts';
import { addNode } from '../e2e/support/nodes.ts';
import { pod, pub } from '../e2e/support/objects.ts';
import { sceneIn } from '../e2e/support/scene.ts';
import { made, testCluster } from '../support/cluster.ts';
import { applyManifest } from '../support/installed.ts';
import { type ProtectedCluster, protectedCluster } from '../support/protected-cluster.ts';

const skipped = process.env['HOLDFAST_TEST_API_KUBECONFIG'] === undefined;
const say = (line: string) => void process.stderr.write(`${line}\n`);
const startMs = 600_000;

const apiServers = 'api-servers.example.com';
const user = 'system:serviceaccount:default:api-server-webhooks';
const folder = mkdtempSync(join(tmpdir(), 'holdfast-clients-'));
const file = (name: string) => join(folder, name);
const pki = createPki({ clock: realClock });
const known = pki.issueClient(apiServers, []);

let testbed: Testbed | undefined;
let cluster: ProtectedCluster;
let token = '';

/** How an API server is made to show a client certificate and a token to every webhook. */
function writeAdmissionConfiguration(): string {
  writeFileSync(file('client.crt'), known.certificate);
  writeFileSync(file('client.key'), known.key);
  writeFileSync(file('ca.crt'), pki.material.caCertificate);
  const shows = {
    'client-certificate': file('client.crt'),
    'client-key': file('client.key'),
    tokenFile: file('token'),
  };
  const kubeconfig = { apiVersion: 'v1', kind: 'Config', users: [{ name: '*', user: shows }] };
  writeFileSync(file('webhooks.kubeconfig'), stringify(kubeconfig));
  const configuration = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'WebhookAdmissionConfiguration',
    kubeConfigFile: file('webhooks.kubeconfig'),
  };
  const plugins = ['ValidatingAdmissionWebhook', 'MutatingAdmissionWebhook'].map((name) => ({ name, configuration }));
  const path = file('admission.yaml');
  writeFileSync(path, stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins }));
  return path;
}

/** Before any webhook is called: the API server reads the file with the first call. */
async function writeToken(base: Awaited<ReturnType<typeof testCluster>>): Promise<void> {
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  await made(base.request('POST', accounts, { body: { metadata: { name: 'api-server-webhooks' } } }));
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 7_200 } };
  const answer = await made(base.request('POST', `${accounts}/api-server-webhooks/token`, { body }));
  token = String(answer.status['token']);
  writeFileSync(file('token'), token);
}

beforeAll(async () => {
  if (skipped) return;
  writeFileSync(file('token'), 'none yet');
  testbed = await startTestbed({ addOns: [], admissionConfig: writeAdmissionConfiguration(), say });
  const base = await testCluster({ controllers: true, existing: testbed.kubeconfigPath });
  await writeToken(base);
  const callers = { clients: { file: file('ca.crt'), names: [apiServers] }, bearer: [user] };
  const { webhook } = defaultInstallValues;
  const rights = rbacObjects({ ...defaultInstallValues, webhook: { ...webhook, bearer: callers.bearer } });
  cluster = await protectedCluster({ base, callers });
  for (const one of rights) await applyManifest(cluster, one);
}, startMs);

afterAll(async () => {
  await cluster?.close();
  await testbed?.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Shown {
  readonly pair?: KeyPair;
  readonly token?: string;
}

/** Posts with the path of the configuration, which a reader of configurations knows, and what else it has. */
async function forge(namespace: string, { pair, token: bearer }: Shown): Promise<number> {
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/holdfast';
  const { webhooks } = (await made(cluster.request('GET', path))) as unknown as {
    webhooks: { clientConfig: { url: string } }[];
  };
  const { pathname } = new URL(webhooks[0]?.clientConfig.url ?? '');
  const agent = new Agent({ rejectUnauthorized: false, ...(pair && { cert: pair.certificate, key: pair.key }) });
  const authorization = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  const headers = { 'content-type': 'application/json', ...authorization };
  const port = cluster.operators[0]?.webhookPort;
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path: `${pathname}?timeout=10s`, method: 'POST', agent, headers },
      (response) => response.resume().on('end', () => resolve(response.statusCode ?? 0)),
    );
    sent.on('error', reject);
    sent.end(JSON.stringify(forgedReview({ namespace, name: 'web-0', operation: 'CREATE' })));
  });
}

describe.skipIf(skipped)('[I13] an API server that shows a client certificate and a token', () => {
  it('is obeyed; who knows the path alone, or has another certificate or token, is not', async () => {
    const node = await addNode(cluster, 'any');
    const scene = await sceneIn(cluster);
    const names = ['web-0', 'web-1', 'web-2'];
    await scene.addPods(...names.map((name) => pod(name, { node, labels: { app: 'web' } })));
    const budget = pub('web', { minAvailable: 2 });
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    const stranger = createPki({ clock: realClock }).issueClient(apiServers, []);
    const other = pki.issueClient('another-client', []);
    const { namespace } = scene;
    for (const shown of [
      {},
      { token },
      { pair: known },
      { pair: known, token: 'wrong' },
      { pair: other, token },
      { pair: stranger, token },
    ]) {
      expect(await forge(namespace, shown), JSON.stringify(Object.keys(shown))).toBe(404);
    }
    expect(await scene.reservations()).toEqual([]);
    const evicted = await scene.evict('web-1');
    expect(evicted.code, evicted.text).toBe(201);
    const refused = await scene.evict('web-2');
    expect(refused.code, refused.text).toBe(429);
    expect(refused.text).toContain('PUB ');
    expect(await forge(namespace, { pair: known, token })).toBe(200);
  });
});
