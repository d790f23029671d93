import { createServer } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { answeredPaths, webhookConfigurations } from '../../packages/holdfast/src/install/manifests/webhooks.ts';
import { readInstallValues } from '../../packages/holdfast/src/install/values/read-values.ts';
import { helmPath, runProgram } from '../deploy/helm.ts';
import { builtCommand, ensureBuilt } from '../support/built.ts';
import { made, testCluster } from '../support/cluster.ts';
import type { Body } from '../support/kube-http.ts';
import { HelmRelease } from './support/helm-release.ts';
import { waitUntil } from './support/wait.ts';

/** A release as people have it: helm is real, and the operator is the program and the arguments of the Deployment. */

interface Webhook {
  readonly name: string;
  readonly timeoutSeconds: number;
  readonly clientConfig: { readonly url: string; readonly caBundle?: string };
}

ensureBuilt();
const cluster = await testCluster({ controllers: true, nodes: 3 });
const namespace = 'holdfast-system';
const release = new HelmRelease(cluster, namespace);
const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles/holdfast';
const isInstalled = (await cluster.request('GET', roles)).code === 200;
if (isInstalled) process.stderr.write('the cluster has an installation already: the test of a release is SKIPPED\n');
const runs = helmPath !== undefined && !cluster.lacksControllers && !isInstalled;
// Another server may have definitions that other tests applied.
const taking = cluster.embedded ? [] : ['--take-ownership'];

afterAll(async () => {
  await release.close();
  await cluster.close();
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const port = await freePort();
const url = `https://127.0.0.1:${port}`;
const values = { webhook: { url }, spread: 'preferred', image: 'holdfast:test' };
const configurationPath = (kind: string) =>
  `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations/holdfast`;
const deployment = `/apis/apps/v1/namespaces/${namespace}/deployments/holdfast`;
const budgets = `/apis/policy.kruise.io/v1beta1/namespaces/${cluster.namespace}/podunavailablebudgets`;

async function webhooksOf(kind: 'validating' | 'mutating'): Promise<readonly Webhook[]> {
  const found = (await made(cluster.request('GET', configurationPath(kind)))) as { readonly webhooks?: Webhook[] };
  return found.webhooks ?? [];
}

async function allWebhooks(): Promise<readonly Webhook[]> {
  return [...(await webhooksOf('validating')), ...(await webhooksOf('mutating'))];
}

function isCallable({ clientConfig }: Webhook): boolean {
  return (clientConfig.caBundle ?? '') !== '' && /\/[0-9a-f]{64}\/[a-z]+$/.test(clientConfig.url);
}

async function untilCallable(
  what: string,
  good: (webhook: Webhook) => boolean = () => true,
): Promise<readonly Webhook[]> {
  const isGood = (all: readonly Webhook[]) => all.length > 0 && all.every((one) => isCallable(one) && good(one));
  return waitUntil(`${what}: ${release.log.slice(-500)}`, allWebhooks, isGood, { withinMs: 100_000, everyMs: 200 });
}

function budget(name: string, maxUnavailable: unknown): object {
  return {
    apiVersion: 'policy.kruise.io/v1beta1',
    kind: 'PodUnavailableBudget',
    metadata: { name },
    spec: { selector: { matchLabels: { app: name } }, maxUnavailable },
  };
}

/** Webhooks whose time is the value `webhook.timeoutSeconds`. */
const isLong = ({ name }: Webhook) => !/^(probes|pin|projection)\.|\.observe\./.test(name);

async function codeOf(path: string): Promise<number> {
  return (await cluster.request('GET', path)).code;
}

// The operator's program is compiled when it starts, beside other tests on two cores.
describe.runIf(runs)('a release of the chart', { timeout: 300_000 }, () => {
  it('refuses nothing while no operator answers', async () => {
    await release.apply('install', values, '--create-namespace', '--wait', ...taking);
    expect(await allWebhooks()).toEqual([]);
    expect((await cluster.request('POST', budgets, { body: budget('first', 1) })).code).toBe(201);
  });

  it('has the webhooks of holdfast install when the operator is available', async () => {
    await release.startOperator(port);
    const registered = await untilCallable('the operator registers');
    const read = readInstallValues({ ...values, namespace });
    if (!read.ok) throw new Error('wrong values');
    const wanted = webhookConfigurations(read.value, answeredPaths).flatMap((one) => one.webhooks ?? []);
    expect(registered.map(withoutTrust)).toMatchObject(wanted.map((one) => withoutTrust(one as unknown as Webhook)));
    expect(registered).toHaveLength(wanted.length);
  });

  it('is asked by the API server', async () => {
    const refused = await cluster.request('POST', budgets, { body: budget('wrong', 'many') });
    expect(refused).toMatchObject({ code: expect.toSatisfy((code: number) => code >= 400) });
    expect(refused.text).toContain('holdfast');
    expect((await cluster.request('POST', budgets, { body: budget('second', 1) })).code).toBe(201);
  });

  it('keeps what the operator wrote when it is upgraded', async () => {
    const before = await allWebhooks();
    const longer = { ...values, webhook: { url, timeoutSeconds: 12 }, logLevel: 'debug' };
    await release.apply('upgrade', longer, '--wait');
    expect(await allWebhooks()).toEqual(before);
    await release.stopOperator();
    await release.startOperator(port);
    const after = await untilCallable('the new operator registers', (one) => !isLong(one) || one.timeoutSeconds === 12);
    expect(after.map(({ clientConfig }) => clientConfig)).toEqual(before.map(({ clientConfig }) => clientConfig));
  });

  it('keeps what the operator wrote when it is rolled back', async () => {
    const before = await allWebhooks();
    await release.helm('rollback', 'holdfast', '1', '--wait');
    expect(await allWebhooks()).toEqual(before);
    await release.stopOperator();
    await release.startOperator(port);
    await untilCallable('the old operator registers', (one) => !isLong(one) || one.timeoutSeconds === 10);
  });

  it('is upgraded with its definitions', async () => {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/disruptionledgers.holdfast.dev';
    const shortNames = async () => {
      const { spec } = (await made(cluster.request('GET', path))) as Body & {
        readonly spec: { readonly names: { readonly shortNames?: readonly string[] } };
      };
      return spec.names.shortNames ?? [];
    };
    await release.applyOther(values, 'custom-resource-definition', (text) =>
      text.replace(/^( +)plural: disruptionledgers$/m, '$&\n$1shortNames: [other]'),
    );
    expect(await shortNames()).toContain('other');
    await release.apply('upgrade', values);
    expect(await shortNames()).not.toContain('other');
  });

  it('takes the webhooks away first when it is uninstalled, and keeps what people wrote', async () => {
    const [from] = await Promise.all([made(cluster.request('GET', deployment))]);
    const since = `fieldSelector=metadata.name%3Dholdfast&resourceVersion=${from.metadata.resourceVersion}`;
    const collections = ['validating', 'mutating'].map((kind) => configurationPath(kind).replace(/\/holdfast$/, ''));
    const watches = await Promise.all(
      [...collections, deployment.replace(/\/holdfast$/, '')].map((path) => cluster.watch(`${path}?${since}`)),
    );
    await release.helm('uninstall', 'holdfast', '--wait');
    const deletions = await Promise.all(
      watches.map(async (watch) => (await watch.until(({ type }) => type === 'DELETED')).at(-1)),
    );
    const [validating = 0, mutating = 0, operator = 0] = deletions.map((event) =>
      Number(event?.object.metadata.resourceVersion),
    );
    expect(Math.max(validating, mutating)).toBeLessThan(operator);
    for (const kind of ['validating', 'mutating']) expect(await codeOf(configurationPath(kind))).toBe(404);
    expect(await codeOf(deployment)).toBe(404);
    expect(await codeOf(`${budgets}/first`)).toBe(200);
    await release.stopOperator();
  });

  it('leaves nothing after holdfast uninstall but definitions and what people wrote', async () => {
    const args = [builtCommand, 'uninstall', '--kubeconfig', release.kubeconfigPath];
    const { status, stderr } = await runProgram(process.execPath, args, { PATH: process.env['PATH'] });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const path of [
      `/api/v1/namespaces/${namespace}/secrets/holdfast-webhook-certificates`,
      `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/holdfast-operator`,
      roles,
    ]) {
      expect(await codeOf(path), path).toBe(404);
    }
    const guarded = await made(cluster.request('GET', '/api/v1/namespaces?labelSelector=holdfast.dev/guard%3Denabled'));
    expect(guarded.items).toEqual([]);
    expect(await codeOf(`${budgets}/second`)).toBe(200);
  });

  it('can be installed again, with the definitions that were kept', async () => {
    await waitUntil(
      'the agents’ namespace is deleted',
      () => codeOf('/api/v1/namespaces/holdfast-agents'),
      (code) => code === 404,
    );
    await release.apply('install', values, '--create-namespace', ...taking);
    await release.helm('uninstall', 'holdfast', '--wait');
    expect(await codeOf(`${budgets}/first`)).toBe(200);
  });
});

/** Of a webhook, what neither the operator nor the API server fills in. */
function withoutTrust({ clientConfig, ...webhook }: Webhook): object {
  return { ...webhook, url: clientConfig.url.replace(/\/[0-9a-f]{64}\//, '/') };
}
