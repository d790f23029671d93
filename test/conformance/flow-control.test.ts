import { afterAll, describe, expect, it } from 'vitest';
import { made, testCluster } from '../support/cluster.ts';
import type { Body, RequestOptions } from '../support/kube-http.ts';

const cluster = await testCluster();
afterAll(() => cluster.close());

const group = '/apis/flowcontrol.apiserver.k8s.io/v1';
const levels = `${group}/prioritylevelconfigurations`;
const schemas = `${group}/flowschemas`;

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`it never came to this: ${what}`);
}

async function create(path: string, name: string, spec: object): Promise<Body> {
  cluster.cleanUp(`${path}/${name}`);
  return made(cluster.request('POST', path, { body: { metadata: { name }, spec } }));
}

const level = { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } };

function flow(user: string, priorityLevel: string) {
  return {
    matchingPrecedence: 1000,
    priorityLevelConfiguration: { name: priorityLevel },
    distinguisherMethod: { type: 'ByUser' },
    rules: [
      {
        subjects: [{ kind: 'User', user: { name: user } }],
        nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }],
      },
    ],
  };
}

async function dangling(name: string): Promise<Record<string, string> | undefined> {
  const { status } = await made(cluster.request('GET', `${schemas}/${name}`));
  const conditions = (status?.['conditions'] ?? []) as readonly Record<string, string>[];
  return conditions.find(({ type }) => type === 'Dangling');
}

/** By which flow schema and priority level a request was taken. */
async function flowOf(path: string, options: RequestOptions = {}) {
  const { headers } = await cluster.request('GET', path, options);
  return [headers['x-kubernetes-pf-flowschema-uid'], headers['x-kubernetes-pf-prioritylevel-uid']];
}

describe('a request is told its flow', () => {
  const as = (user: string) => ({ as: { user, groups: ['system:authenticated'] } });

  it('by the schema that was made for its user, also if it is refused', async () => {
    const user = cluster.name('user');
    const [levelName, flowName] = [cluster.name('level'), cluster.name('flow')];
    const priorityLevel = await create(levels, levelName, level);
    const schema = await create(schemas, flowName, flow(user, levelName));
    await until('the schema has found its level', async () => (await dangling(flowName))?.['status'] === 'False');
    const want = [schema.metadata.uid, priorityLevel.metadata.uid];
    await until('requests are told', async () => (await flowOf('/version', as(user)))[0] === want[0]);
    expect(await flowOf('/version', as(user))).toEqual(want);
    expect(await flowOf('/api/v1/namespaces/default/pods', as(user))).toEqual(want);
    expect(await flowOf('/version', as(`${user}-2`))).not.toEqual(want);
    const { text } = await cluster.request('GET', '/metrics');
    expect(text).toMatch(
      new RegExp(`^apiserver_flowcontrol_nominal_limit_seats\\{priority_level="${levelName}"\\} [1-9]`, 'm'),
    );
  });

  it('and otherwise by those that every cluster has', async () => {
    const uid = async (path: string) => (await made(cluster.request('GET', path))).metadata.uid;
    const exempt = [await uid(`${schemas}/exempt`), await uid(`${levels}/exempt`)];
    expect(await flowOf('/version')).toEqual(exempt);
    const byDefault = [await uid(`${schemas}/global-default`), await uid(`${levels}/global-default`)];
    expect(await flowOf('/version', as('anna'))).toEqual(byDefault);
    expect((await flowOf('/livez', as('anna')))[1]).toBe(exempt[1]);
  });

  it('on a watch, too', async () => {
    const path = `/api/v1/namespaces/${cluster.namespace}/configmaps?watch=true&timeoutSeconds=1`;
    const response = await cluster.open('GET', path);
    const { uid } = (await made(cluster.request('GET', `${schemas}/exempt`))).metadata;
    expect(response.headers['x-kubernetes-pf-flowschema-uid']).toBe(uid);
    response.destroy();
  });
});

describe('a flow schema whose priority level is missing', () => {
  it('says so until it comes', async () => {
    const [levelName, flowName] = [cluster.name('late'), cluster.name('early')];
    await create(schemas, flowName, flow('no-user', levelName));
    await until('it dangles', async () => (await dangling(flowName))?.['status'] === 'True');
    expect(await dangling(flowName)).toMatchObject({
      reason: 'NotFound',
      message: `This FlowSchema references the PriorityLevelConfiguration object named "${levelName}" but there is no such object`,
    });
    await create(levels, levelName, level);
    await until('it does not dangle', async () => (await dangling(flowName))?.['status'] === 'False');
    expect(await dangling(flowName)).toMatchObject({ reason: 'Found' });
  });
});
