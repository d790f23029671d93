import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultNamespace } from '../../packages/holdfast/src/api/installation-names.ts';
import { made, testCluster } from '../support/cluster.ts';
import type { RequestOptions } from '../support/kube-http.ts';
import { applyAuthority } from './support/authority.ts';
import { waitUntil } from './support/wait.ts';

/**
 * What people may do who have one of Kubernetes' own roles in a namespace: every request is made as such a person, by impersonation.
 * The roles get our rules from a controller of the cluster, so one is needed.
 */
const cluster = await testCluster({ controllers: true });
const skipped = cluster.lacksControllers;
afterAll(() => cluster.close());
if (skipped) await cluster.close();

const roles = ['view', 'edit', 'admin'] as const;
type Role = (typeof roles)[number];

const { namespace } = cluster;
const rbac = (inside: string) => `/apis/rbac.authorization.k8s.io/v1/namespaces/${inside}/rolebindings`;
const budgets = (inside: string, version = 'v1beta1') =>
  `/apis/policy.kruise.io/${version}/namespaces/${inside}/podunavailablebudgets`;
const ledgers = (inside: string) => `/apis/holdfast.dev/v1alpha1/namespaces/${inside}/disruptionledgers`;

const person = (role: Role): RequestOptions => ({ as: { user: cluster.name(role), groups: ['system:authenticated'] } });

const budget = (name: string) => ({
  apiVersion: 'policy.kruise.io/v1beta1',
  kind: 'PodUnavailableBudget',
  metadata: { name },
  spec: { selector: { matchLabels: { app: name } }, maxUnavailable: 1 },
});

const ledger = {
  apiVersion: 'holdfast.dev/v1alpha1',
  kind: 'DisruptionLedger',
  metadata: { name: 'default' },
  spec: { reservations: [] },
};

const merge = 'application/merge-patch+json';
let other = '';

async function bind(role: Role): Promise<void> {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role };
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: cluster.name(role) }];
  await made(cluster.request('POST', rbac(namespace), { body: { metadata: { name: role }, roleRef, subjects } }));
}

async function code(role: Role, method: string, path: string, more: RequestOptions = {}): Promise<number> {
  return (await cluster.request(method, path, { ...person(role), ...more })).code;
}

beforeAll(async () => {
  if (skipped) return;
  await applyAuthority(cluster);
  other = await cluster.newNamespace();
  for (const role of roles) await bind(role);
  for (const inside of [namespace, other]) {
    await made(cluster.request('POST', budgets(inside), { body: budget('web') }));
  }
  // An API server answers 429 while it begins to serve a kind.
  for (const path of [budgets(namespace), budgets(namespace, 'v1alpha1'), ledgers(namespace)]) {
    const served = async () => (await cluster.request('GET', path)).code;
    await waitUntil(`${path} is served`, served, (got) => got === 200);
  }
  // A controller copies our rules into the roles a moment after they were applied.
  for (const role of roles) {
    await waitUntil(
      `${role} has our rules`,
      () => code(role, 'GET', budgets(namespace)),
      (got) => got === 200,
    );
  }
}, 120_000);

describe.skipIf(skipped)('[A6] the people of a namespace', () => {
  it.each(roles)('with the role %s read its budgets and ledgers, in every version, and no others', async (role) => {
    for (const path of [budgets(namespace), budgets(namespace, 'v1alpha1'), ledgers(namespace)]) {
      expect(await code(role, 'GET', path), path).toBe(200);
    }
    expect(await code(role, 'GET', `${budgets(namespace)}/web`)).toBe(200);
    expect(await code(role, 'GET', `${budgets(namespace)}/web/status`)).toBe(200);
    for (const path of [budgets(other), ledgers(other), `${budgets(other)}/web`]) {
      expect(await code(role, 'GET', path), path).toBe(403);
    }
  });

  it.each<readonly [Role, number, number, number]>([
    ['view', 403, 403, 403],
    ['edit', 201, 200, 200],
    ['admin', 201, 200, 200],
  ])('with the role %s write its budgets: creating is %i, patching %i, deleting %i', async (role, ...codes) => {
    const own = `${budgets(namespace)}/${role}`;
    const [created, patched, deleted] = codes;
    expect(await code(role, 'POST', budgets(namespace), { body: budget(role) })).toBe(created);
    const body = { spec: { maxUnavailable: 2 } };
    expect(await code(role, 'PATCH', `${budgets(namespace)}/web`, { body, contentType: merge })).toBe(patched);
    if (created === 403) expect(await code(role, 'DELETE', `${budgets(namespace)}/web`)).toBe(deleted);
    else expect(await code(role, 'DELETE', own)).toBe(deleted);
  });

  it.each(roles)(
    'with the role %s write no status of a budget, no ledger, and nothing of another namespace',
    async (role) => {
      const status = { status: { unavailableAllowed: 99 } };
      const where = `${budgets(namespace)}/web/status`;
      expect(await code(role, 'PATCH', where, { body: status, contentType: merge })).toBe(403);
      expect(await code(role, 'POST', ledgers(namespace), { body: ledger })).toBe(403);
      for (const method of ['PATCH', 'DELETE']) {
        const more = method === 'PATCH' ? { body: { spec: { reservations: [] } }, contentType: merge } : {};
        expect(await code(role, method, `${ledgers(namespace)}/default`, more)).toBe(403);
      }
      expect(await code(role, 'DELETE', ledgers(namespace))).toBe(403);
      expect(await code(role, 'POST', budgets(other), { body: budget(role) })).toBe(403);
    },
  );

  it.each(roles)('with the role %s learn no path of a webhook: neither configurations nor our Secret', async (role) => {
    const configurations = '/apis/admissionregistration.k8s.io/v1';
    for (const kind of ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations']) {
      expect(await code(role, 'GET', `${configurations}/${kind}`)).toBe(403);
      expect(await code(role, 'GET', `${configurations}/${kind}/holdfast`)).toBe(403);
    }
    const secrets = `/api/v1/namespaces/${defaultNamespace}/secrets`;
    expect(await code(role, 'GET', `${secrets}/holdfast-webhook-certificates`)).toBe(403);
  });
});
