import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentUser, defaultNamespace, operatorUser } from '../../packages/holdfast/src/api/installation-names.ts';
import { annotation, label } from '../../packages/holdfast/src/api/names.ts';
import { made, pause, testCluster } from '../support/cluster.ts';
import type { Answer, RequestOptions } from '../support/kube-http.ts';
import { applyAuthority } from './support/authority.ts';

/**
 * What a stolen token of ours is good for: every request here is made as one of the two service accounts, by impersonation, on an
 * API server on which nothing but the rights and policies of an installation are installed.
 */

const cluster = await testCluster();
afterAll(() => cluster.close());

const merge = 'application/merge-patch+json';
const agentsNamespace = 'holdfast-agents';
const node = 'node-a';
const otherNode = 'node-b';
const system = '/api/v1/namespaces/kube-system/pods';
const path = (resource: string, name = '', namespace = cluster.namespace) =>
  `/api/v1/namespaces/${namespace}/${resource}${name === '' ? '' : `/${name}`}`;
const apps = (name: string) => `/apis/apps/v1/namespaces/${cluster.namespace}/statefulsets/${name}`;
const ledgers = (namespace: string) => `/apis/holdfast.dev/v1alpha1/namespaces/${namespace}/disruptionledgers`;
const leases = (namespace: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;

const operator: RequestOptions = { as: { user: operatorUser(defaultNamespace) } };
const agentOn = (name: string | undefined): RequestOptions => ({
  as: {
    user: agentUser(defaultNamespace),
    ...(name === undefined ? {} : { extra: { 'authentication.kubernetes.io/node-name': name } }),
  },
});

const patch = (where: string, body: object, who: RequestOptions, contentType = merge): Promise<Answer> =>
  cluster.request('PATCH', where, { ...who, body, contentType });

const pod = (name: string, nodeName: string, namespace = cluster.namespace) => ({
  metadata: { name, namespace, labels: { app: name } },
  spec: { nodeName, containers: [{ name: 'c', image: 'i' }], terminationGracePeriodSeconds: 0 },
});

const ledger = (namespace: string) => ({
  apiVersion: 'holdfast.dev/v1alpha1',
  kind: 'DisruptionLedger',
  metadata: { name: 'default', namespace },
  spec: { reservations: [] },
});

const lease = (name: string, about: string, namespace = agentsNamespace) => ({
  metadata: { name, namespace, labels: { [label.probeLease]: 'true' }, annotations: { [annotation.node]: about } },
  spec: { holderIdentity: 'agent_1', leaseDurationSeconds: 40 },
});

/** A real server takes a moment to know a new policy: until then it lets through what it will refuse. */
async function untilRefused(ask: () => Promise<Answer>): Promise<Answer> {
  for (let left = 100; ; left -= 1) {
    const answer = await ask();
    if (answer.code === 403 || left === 0) return answer;
    await pause(100);
  }
}

let disabled = '';

beforeAll(async () => {
  await applyAuthority(cluster);
  disabled = await cluster.newNamespace();
  await made(
    patch(`/api/v1/namespaces/${disabled}`, { metadata: { labels: { [label.guard]: 'disabled' } } }, { headers: {} }),
  );
  await cluster.request('POST', path('serviceaccounts', '', 'kube-system'), {
    body: { metadata: { name: 'default' } },
  });
  for (const one of [pod('own', node), pod('foreign', otherNode)]) {
    await made(cluster.request('POST', path('pods'), { body: one }));
  }
  const victim = cluster.name('victim');
  cluster.cleanUp(`${system}/${victim}`);
  await made(cluster.request('POST', system, { body: pod(victim, node, 'kube-system') }));
  await made(cluster.request('POST', path('pods', '', disabled), { body: pod('left-alone', node, disabled) }));
  const template = { metadata: { labels: { app: 's' } }, spec: { containers: [{ name: 'c', image: 'good' }] } };
  const set = {
    metadata: { name: 's' },
    spec: { serviceName: 's', selector: { matchLabels: { app: 's' } }, template },
  };
  await made(cluster.request('POST', `/apis/apps/v1/namespaces/${cluster.namespace}/statefulsets`, { body: set }));
  const canary = () => cluster.request('POST', `${ledgers(disabled)}?dryRun=All`, { body: ledger(disabled) });
  await untilRefused(canary);
  await untilRefused(() => patch(path('pods', 'own/status'), { metadata: { labels: { app: 'x' } } }, agentOn(node)));
  await untilRefused(() => cluster.request('DELETE', `${system}/${victim}?dryRun=All`, operator));
  await made(patch(path('pods', 'own'), { metadata: { labels: { app: 'own' } } }, {}));
}, 120_000);

describe("the operator's account", () => {
  it('[A1] writes the state of a rollout through the status of a StatefulSet, and nothing else of it', async () => {
    const shown = (text: string) => ({ metadata: { annotations: { [annotation.rolloutState]: text } } });
    const written = await patch(`${apps('s')}/status`, shown('waiting'), operator);
    expect(written).toMatchObject({
      code: 200,
      body: { metadata: { annotations: { [annotation.rolloutState]: 'waiting' } } },
    });
    const image = { spec: { template: { spec: { containers: [{ name: 'c', image: 'evil' }] } } } };
    expect(await patch(apps('s'), image, operator)).toMatchObject({ code: 403 });
    await patch(`${apps('s')}/status`, image, operator);
    const stored = await made(cluster.request('GET', apps('s')));
    expect(JSON.stringify(stored.spec)).not.toContain('evil');
    for (const metadata of [{ labels: { app: 'x' } }, { annotations: { other: 'x' } }, { finalizers: ['a/b'] }]) {
      expect(await patch(`${apps('s')}/status`, { metadata }, operator)).toMatchObject({ code: 403 });
    }
    expect(await patch(`${apps('s')}/status`, { status: { replicas: 7 } }, operator)).toMatchObject({ code: 403 });
  });

  it('[A1] changes no label of a namespace but the guard label', async () => {
    const where = `/api/v1/namespaces/${cluster.namespace}`;
    const labels = (of: Record<string, string | null>) => ({ metadata: { labels: of } });
    expect(await patch(where, labels({ [label.guard]: 'enabled' }), operator)).toMatchObject({ code: 200 });
    expect(await patch(where, labels({ [label.guard]: null }), operator)).toMatchObject({ code: 200 });
    const refused = [
      labels({ 'pod-security.kubernetes.io/enforce': 'privileged' }),
      labels({ [label.guard]: 'disabled' }),
      { metadata: { annotations: { a: 'b' } } },
      { metadata: { finalizers: ['a/b'] } },
    ];
    for (const body of refused) expect(await patch(where, body, operator)).toMatchObject({ code: 403 });
    const back = labels({ [label.guard]: 'enabled' });
    expect(await patch(`/api/v1/namespaces/${disabled}`, back, operator)).toMatchObject({ code: 403 });
    expect(await patch(`/api/v1/namespaces/${disabled}`, labels({ [label.guard]: null }), operator)).toMatchObject({
      code: 403,
    });
  });

  it('[A1] deletes no pod of kube-system, and none where a person said `disabled`', async () => {
    expect(await cluster.request('DELETE', `${system}/${cluster.name('victim')}`, operator)).toMatchObject({
      code: 403,
    });
    expect(await cluster.request('DELETE', path('pods', 'left-alone', disabled), operator)).toMatchObject({
      code: 403,
    });
    expect(await cluster.request('DELETE', `${path('pods', 'own')}?dryRun=All`, operator)).toMatchObject({ code: 200 });
  });

  it.each([
    ['read a Secret of another namespace', 'GET', () => path('secrets', 'any')],
    ['read the Secrets of its own namespace', 'GET', () => path('secrets', '', defaultNamespace)],
    ['delete a ledger', 'DELETE', () => `${ledgers(cluster.namespace)}/default`],
    ['delete a budget', 'DELETE', () => `/apis/policy/v1/namespaces/${cluster.namespace}/poddisruptionbudgets/any`],
    ['evict a pod', 'POST', () => path('pods', 'own/eviction')],
    ['create a pod', 'POST', () => path('pods')],
    ['run a command', 'POST', () => path('pods', 'own/exec')],
    [
      'change its own policies',
      'DELETE',
      () => '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/holdfast-ledgers',
    ],
    ['write a lease of the agents', 'POST', () => leases(agentsNamespace)],
  ])('[A1] may not %s', async (_, method, where) => {
    const body = method === 'POST' ? { body: pod('new', node) } : {};
    expect(await cluster.request(method, where(), { ...operator, ...body })).toMatchObject({ code: 403 });
  });
});

describe('ledgers', () => {
  it('[A2] are written by the operator alone, whatever rights others have', async () => {
    const where = ledgers(cluster.namespace);
    const mine = ledger(cluster.namespace);
    expect(await cluster.request('POST', where, { body: mine })).toMatchObject({ code: 403 });
    expect(await cluster.request('POST', where, { ...operator, body: mine })).toMatchObject({ code: 201 });
    const blocked = { spec: { watermark: '99999999999999' } };
    expect(await patch(`${where}/default`, blocked, {})).toMatchObject({ code: 403 });
    const refused = await cluster.request('DELETE', `${where}/default`);
    expect(refused).toMatchObject({ code: 403 });
    expect(refused.body.message).toContain('holdfast.dev/guard=disabled');
  });

  it('[A2] can be deleted by an administrator who first takes the namespace out of protection', async () => {
    const where = `${ledgers(disabled)}/default`;
    await made(cluster.request('POST', ledgers(disabled), { ...operator, body: ledger(disabled) }));
    expect(await patch(where, { spec: { watermark: '1' } }, {})).toMatchObject({ code: 403 });
    expect(await cluster.request('DELETE', where)).toMatchObject({ code: 200 });
  });

  it('[A2] go with their namespace: a terminating one empties itself', async () => {
    const going = await cluster.newNamespace();
    await made(cluster.request('POST', ledgers(going), { ...operator, body: ledger(going) }));
    await made(cluster.request('DELETE', `/api/v1/namespaces/${going}`));
    expect(await cluster.request('DELETE', ledgers(going))).toMatchObject({ code: 200 });
  });
});

describe("an agent's account", () => {
  const status = (name: string) => path('pods', `${name}/status`);
  const disruptable = (name: string, of: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: cluster.namespace },
    status: { conditions: [{ type: 'Disruptable', status: of, reason: 'ProbeSucceeded', message: 'm' }] },
  });
  const apply = (name: string, who: RequestOptions) =>
    cluster.request('PATCH', `${status(name)}?fieldManager=holdfast-agent&force=true`, {
      ...who,
      body: disruptable(name, 'True'),
      contentType: 'application/apply-patch+yaml',
    });

  it('[A3] writes the Disruptable condition of a pod of its node, and of no other', async () => {
    expect(await apply('own', agentOn(node))).toMatchObject({ code: 200 });
    expect(await apply('own', agentOn(otherNode))).toMatchObject({ code: 403 });
    expect(await apply('foreign', agentOn(node))).toMatchObject({ code: 403 });
    expect(await apply('own', agentOn(undefined))).toMatchObject({ code: 403 });
  });

  it.each<readonly [string, object]>([
    ['labels', { metadata: { labels: { app: 'stolen' } } }],
    ['annotations', { metadata: { annotations: { a: 'b' } } }],
    ['finalizers', { metadata: { finalizers: ['a/b'] } }],
    ['address', { status: { podIP: '127.66.66.66', podIPs: [{ ip: '127.66.66.66' }] } }],
    ['phase', { status: { phase: 'Failed' } }],
    ['message', { status: { message: 'x' } }],
    [
      'container statuses',
      { status: { containerStatuses: [{ name: 'c', image: 'i', imageID: '', ready: true, restartCount: 9 }] } },
    ],
    ['readiness', { status: { conditions: [{ type: 'Ready', status: 'False' }] } }],
  ])('[A3] changes nothing else of a pod: not its %s', async (_, body) => {
    const strategic = 'application/strategic-merge-patch+json';
    expect(await patch(status('own'), body, agentOn(node), strategic)).toMatchObject({ code: 403 });
  });

  it('[A3] writes the lease of its node, in the namespace for that, and no other', async () => {
    const create = (who: RequestOptions, body: object, namespace = agentsNamespace) =>
      cluster.request('POST', leases(namespace), { ...who, body });
    expect(await create(agentOn(otherNode), lease(node, node))).toMatchObject({ code: 403 });
    expect(await create(agentOn(undefined), lease(node, node))).toMatchObject({ code: 403 });
    expect(await create(agentOn(node), lease(otherNode, node))).toMatchObject({ code: 403 });
    expect(await create(agentOn(node), lease(node, otherNode))).toMatchObject({ code: 403 });
    const mine = await create(agentOn(node), lease(node, node));
    expect(mine).toMatchObject({ code: 201 });
    const renew = (who: RequestOptions) =>
      cluster.request('PUT', `${leases(agentsNamespace)}/${node}`, { ...who, body: mine.body });
    expect(await renew(agentOn(otherNode))).toMatchObject({ code: 403 });
    expect(await renew(agentOn(node))).toMatchObject({ code: 200 });
    cluster.cleanUp(`${leases(agentsNamespace)}/${node}`);
  });

  it("[A3] has no part in the operator's election", async () => {
    const held = {
      metadata: { name: 'holdfast-operator' },
      spec: { holderIdentity: 'evil', leaseDurationSeconds: 3_600 },
    };
    const where = leases(defaultNamespace);
    expect(await cluster.request('POST', where, { ...agentOn(node), body: held })).toMatchObject({ code: 403 });
    expect(await cluster.request('PUT', `${where}/holdfast-operator`, { ...agentOn(node), body: held })).toMatchObject({
      code: 403,
    });
  });

  it.each([
    ['read a Secret', 'GET', () => path('secrets', 'holdfast-webhook-certificates', defaultNamespace)],
    ['run a command in a container', 'POST', () => path('pods', 'own/exec?command=id&container=c')],
    ['delete a pod', 'DELETE', () => path('pods', 'own')],
    ['read ledgers', 'GET', () => ledgers(cluster.namespace)],
    ['list nodes', 'GET', () => '/api/v1/nodes'],
    ['list the leases of agents', 'GET', () => leases(agentsNamespace)],
  ])('[A3] may not %s', async (_, method, where) => {
    expect(await cluster.request(method, where(), agentOn(node))).toMatchObject({ code: 403 });
  });
});
