import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Holdfast, holdfastFor } from '../../../../../test/e2e/support/holdfast.ts';
import { pdb } from '../../../../../test/e2e/support/objects.ts';
import { waitUntil } from '../../../../../test/e2e/support/wait.ts';
import { ensureBuilt } from '../../../../../test/support/built.ts';
import { made, type TestCluster, testCluster } from '../../../../../test/support/cluster.ts';
import { crdManifests } from '../../../src/install/manifests/manifests.ts';
import { peopleRoles } from '../../../src/install/manifests/people-roles.ts';
import { reading, userWith, viewerOf } from './support.ts';

ensureBuilt();
let cluster: TestCluster;
let namespace: string;
let viewer: Holdfast;

beforeAll(async () => {
  cluster = await testCluster();
  namespace = await cluster.newNamespace();
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (const body of crdManifests) await made(cluster.request('POST', definitions, { body }));
  for (const path of ['/apis/policy.kruise.io/v1alpha1', '/apis/holdfast.dev/v1alpha1']) {
    await waitUntil(
      `${path} is served`,
      () => cluster.request('GET', path),
      ({ code }) => code === 200,
    );
  }
  const spec = { nodeName: 'node-1', containers: [{ name: 'main', image: 'i' }] };
  const body = { metadata: { name: 'web-0', labels: { app: 'web' } }, spec };
  await made(cluster.request('POST', `/api/v1/namespaces/${namespace}/pods`, { body }));
  const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
  await made(cluster.request('POST', budgets, { body: pdb('web', { maxUnavailable: 1 }) }));
  viewer = holdfastFor(await viewerOf(cluster, 'viewer'));
});
afterAll(() => cluster.close());

const missing = ['disruptionledgers.holdfast.dev', 'podunavailablebudgets.policy.kruise.io'].map(
  (resource) => `list ${resource} (ClusterRole holdfast-view grants it)`,
);

describe("[K1] a user who has Kubernetes' role view and no more", () => {
  it.each([
    ['status', () => ['status', '-n', namespace]],
    ['status of all namespaces', () => ['status', '-A']],
    ['explain', () => ['explain', 'pod/web-0', '-n', namespace]],
    ['plan', () => ['plan', 'node-1']],
    ['simulate', () => ['simulate', '--from-cluster', '--', 'drain', 'node-1']],
  ] as const)('is told which rights are missing, and who grants them: %s', async (_, words) => {
    const { code, out, err } = await viewer(...words());
    expect(err).toMatch(/^error: unknown: you may not list /m);
    for (const right of missing) expect(err).toContain(right);
    expect(err).not.toMatch(/try again in a moment|stuck/);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });

  it('is told so by a dry run of a drain, too, once nodes may be read', async () => {
    const name = cluster.name('dry');
    cluster.cleanUp(`/api/v1/nodes/${name}`);
    await made(cluster.request('POST', '/api/v1/nodes', { body: { metadata: { name } } }));
    const spec = { nodeName: name, containers: [{ name: 'main', image: 'i' }] };
    const body = { metadata: { name: 'on-node', labels: { app: 'other' } }, spec };
    await made(cluster.request('POST', `/api/v1/namespaces/${namespace}/pods`, { body }));
    const rules = [
      { apiGroups: ['', 'apps'], resources: ['pods', 'namespaces', 'nodes', 'daemonsets'], verbs: reading },
      { apiGroups: ['policy'], resources: ['*'], verbs: reading },
    ];
    const drainer = holdfastFor(await userWith(cluster, 'drainer', rules));
    const { code, out, err } = await drainer('drain', name, '--dry-run', '--force');
    for (const right of missing) expect(err).toContain(right);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });

  it('explains several targets at once, and fails for all of them', async () => {
    const { code, out } = await viewer('explain', 'pod/web-0', 'node/node-1', '-n', namespace);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });

  it('gets an answer where the roles of the installation are there', async () => {
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    for (const body of peopleRoles) await made(cluster.request('POST', roles, { body }));
    const explained = await waitUntil(
      'the role view is complete',
      () => viewer('explain', 'pod/web-0', '-n', namespace),
      ({ code }) => code !== 2,
    );
    expect(explained).toMatchObject({ code: 0, err: '' });
    expect((await viewer('status', '-n', namespace)).code).toBe(0);
    const checked = await viewer('status', '-n', namespace, '--check');
    expect(checked.code).toBe(0);
    expect(checked.out).toMatch(/^1 budget, none blocks \| .* \| operator unknown\n/);
    const empty = await viewer('status', '-n', 'default');
    expect(empty.out).toContain('No budgets in default.');
    expect(empty.err).toContain(`note: 1 other namespace has budgets (${namespace}): use -A, or -n NAMESPACE`);
    const two = await viewer('explain', 'pod/web-0', 'pdb/web', '-n', namespace);
    expect(two.out).toMatch(/^Pod .*\/web-0 /m);
    expect(two.out).toMatch(/^PodDisruptionBudget .*\/web: /m);
    const structured = await viewer('explain', 'pod/web-0', 'pdb/web', '-n', namespace, '-o', 'json');
    expect(JSON.parse(structured.out)).toMatchObject({ items: [{ pod: { name: 'web-0' } }, { budget: {} }] });
  });
});
