import { afterAll, describe, expect, it } from 'vitest';
import { made, testCluster } from '../support/cluster.ts';
import type { RequestOptions } from '../support/kube-http.ts';
import { minorOf } from '../support/server-version.ts';

const cluster = await testCluster();
afterAll(() => cluster.close());

const { namespace } = cluster;
const pods = `/api/v1/namespaces/${namespace}/pods`;
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const authorization = '/apis/authorization.k8s.io/v1';

const as = (user: string, groups?: readonly string[]): RequestOptions => ({
  as: { user, ...(groups === undefined ? {} : { groups }) },
});

/** Authorizers learn of roles a moment after they are written. */
async function eventually(code: number, ask: () => Promise<{ code: number }>): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if ((await ask()).code === code) return;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  expect((await ask()).code).toBe(code);
}

async function grant(user: string, rules: readonly object[]): Promise<void> {
  const path = `${rbac}/namespaces/${namespace}`;
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: user };
  const subjects = [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }];
  await made(cluster.request('POST', `${path}/roles`, { body: { metadata: { name: user }, rules } }));
  await made(
    cluster.request('POST', `${path}/rolebindings`, { body: { metadata: { name: user }, roleRef, subjects } }),
  );
}

describe('who may do nothing', () => {
  const forbidden: [string, string, string][] = [
    [
      'GET',
      '/api/v1/nodes',
      'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope',
    ],
    [
      'GET',
      `${pods}/x`,
      `pods "x" is forbidden: User "jane" cannot get resource "pods" in API group "" in the namespace "${namespace}"`,
    ],
    [
      'DELETE',
      pods,
      `pods is forbidden: User "jane" cannot deletecollection resource "pods" in API group "" in the namespace "${namespace}"`,
    ],
    [
      'POST',
      `${pods}/x/eviction`,
      `pods "x" is forbidden: User "jane" cannot create resource "pods/eviction" in API group "" in the namespace "${namespace}"`,
    ],
    ['GET', '/metrics', 'forbidden: User "jane" cannot get path "/metrics"'],
  ];
  it.each(forbidden)('%s %s', async (method, path, message) => {
    expect(await cluster.request(method, path, as('jane'))).toMatchObject({
      code: 403,
      body: { kind: 'Status', reason: 'Forbidden', message },
    });
  });

  it('is told who they are not', async () => {
    expect(await cluster.request('GET', pods, { token: 'bogus' })).toMatchObject({
      code: 401,
      body: { reason: 'Unauthorized', message: 'Unauthorized' },
    });
  });
});

describe('roles', () => {
  it('allow what they say, where they say it', async () => {
    await grant('reader', [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }]);
    await eventually(200, () => cluster.request('GET', pods, as('reader')));
    expect((await cluster.request('GET', `${pods}/none`, as('reader'))).code).toBe(404);
    expect((await cluster.request('DELETE', `${pods}/none`, as('reader'))).code).toBe(403);
    expect((await cluster.request('GET', `${pods}/none/log`, as('reader'))).code).toBe(403);
    expect((await cluster.request('GET', '/api/v1/pods', as('reader'))).code).toBe(403);
  });

  it('can be for single objects', async () => {
    await grant('one', [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['mine'], verbs: ['get'] }]);
    const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
    await eventually(404, () => cluster.request('GET', `${configMaps}/mine`, as('one')));
    expect((await cluster.request('GET', `${configMaps}/yours`, as('one'))).code).toBe(403);
  });

  it('cannot be given by who has less', async () => {
    await grant('giver', [{ apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: ['create'] }]);
    const roles = `${rbac}/namespaces/${namespace}/roles`;
    const body = { metadata: { name: 'more' }, rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }] };
    await eventually(403, () => cluster.request('POST', roles, { ...as('giver'), body }));
    const answer = await cluster.request('POST', roles, { ...as('giver'), body });
    expect(answer.body.message).toContain('is attempting to grant RBAC permissions not currently held');
  });

  it('of a binding stay', async () => {
    await grant('stays', []);
    const answer = await cluster.request('PATCH', `${rbac}/namespaces/${namespace}/rolebindings/stays`, {
      contentType: 'application/merge-patch+json',
      body: { roleRef: { name: 'other' } },
    });
    expect(answer.code).toBe(422);
    const words = (await minorOf(cluster)) < 37 ? 'cannot change roleRef' : 'field is immutable';
    expect(answer.body.message).toContain(words);
  });
});

describe('impersonation', () => {
  it('is for users who may', async () => {
    const { code, body } = await cluster.request('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      ...as('jane', ['devs']),
      body: {},
    });
    expect(code).toBe(201);
    expect(body.status['userInfo']).toMatchObject({
      username: 'jane',
      groups: expect.arrayContaining(['devs', 'system:authenticated']),
    });
  });

  it('of groups needs a user', async () => {
    const answer = await cluster.request('GET', pods, { headers: { 'impersonate-group': 'x' } });
    expect(answer.code).toBeGreaterThanOrEqual(400);
  });

  it('by service accounts is a right like any other', async () => {
    const token = await made(
      cluster.request('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/default/token`, { body: { spec: {} } }),
    );
    const answer = await cluster.request('GET', pods, { token: token.status['token'] as string, ...as('jane') });
    expect(answer.code).toBe(403);
    expect(answer.body.message).toContain(`User "system:serviceaccount:${namespace}:default" cannot`);
  });
});

describe('reviews', () => {
  const resourceAttributes = { namespace, verb: 'get', resource: 'pods' };

  it('answer for others and for oneself', async () => {
    await grant('reviewed', [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }]);
    await eventually(404, () => cluster.request('GET', `${pods}/none`, as('reviewed')));
    const other = await made(
      cluster.request('POST', `${authorization}/subjectaccessreviews`, {
        body: { spec: { user: 'reviewed', resourceAttributes } },
      }),
    );
    expect(other.status).toMatchObject({
      allowed: true,
      reason: expect.stringContaining('RBAC: allowed by RoleBinding'),
    });
    const self = await made(
      cluster.request('POST', `${authorization}/selfsubjectaccessreviews`, {
        ...as('reviewed'),
        body: { spec: { resourceAttributes: { ...resourceAttributes, verb: 'delete' } } },
      }),
    );
    expect(self.status['allowed']).toBe(false);
    const rules = await made(
      cluster.request('POST', `${authorization}/selfsubjectrulesreviews`, {
        ...as('reviewed'),
        body: { spec: { namespace } },
      }),
    );
    expect(rules.status['resourceRules']).toContainEqual({ apiGroups: [''], resources: ['pods'], verbs: ['get'] });
  });

  it('ask about one thing', async () => {
    const answer = await cluster.request('POST', `${authorization}/subjectaccessreviews`, { body: { spec: {} } });
    expect(answer.code).toBe(422);
    expect(answer.body.message).toContain(
      'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    );
  });
});
