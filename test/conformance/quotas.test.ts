import { afterAll, describe, expect, it } from 'vitest';
import { sameJson } from '../../packages/base/src/json.ts';
import { made, testCluster } from '../support/cluster.ts';

const cluster = await testCluster({ controllers: true, nodes: 1, speed: 20 });
afterAll(() => cluster.close());
if (cluster.lacksControllers) await cluster.close();

const core = `/api/v1/namespaces/${cluster.namespace}`;

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`it never came to this: ${what}`);
}

async function quota(name: string, spec: object): Promise<string> {
  const path = `${core}/resourcequotas/${name}`;
  await made(cluster.request('POST', `${core}/resourcequotas`, { body: { metadata: { name }, spec } }));
  await until(`${name} is looked at`, async () => (await usedOf(path)) !== undefined);
  return path;
}

async function usedOf(path: string): Promise<unknown> {
  return (await made(cluster.request('GET', path))).status['used'];
}

const untilUsed = (path: string, used: object) =>
  until(`${path} shows ${JSON.stringify(used)}`, async () => sameJson(await usedOf(path), used));

const secret = (name: string) => ({ metadata: { name } });
const pod = (name: string, more: object = {}, resources: object = {}) => ({
  metadata: { name },
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'i', resources }], ...more },
});

describe.skipIf(cluster.lacksControllers)('resource quotas', () => {
  it('count objects, and refuse one more than there may be', async () => {
    const path = await quota('objects', { hard: { 'count/secrets': '1', secrets: '2' } });
    await untilUsed(path, { 'count/secrets': '0', secrets: '0' });
    await made(cluster.request('POST', `${core}/secrets`, { body: secret('a') }));
    await untilUsed(path, { 'count/secrets': '1', secrets: '1' });
    const refused = await cluster.request('POST', `${core}/secrets`, { body: secret('b') });
    expect(refused.code).toBe(403);
    expect(refused.body).toMatchObject({
      reason: 'Forbidden',
      message:
        'secrets "b" is forbidden: exceeded quota: objects, requested: count/secrets=1, used: count/secrets=1, limited: count/secrets=1',
      details: { name: 'b', kind: 'secrets' },
    });
    expect((await cluster.request('POST', `${core}/secrets?dryRun=All`, { body: secret('b') })).code).toBe(403);
    await made(cluster.request('DELETE', `${core}/secrets/a`));
    await untilUsed(path, { 'count/secrets': '0', secrets: '0' });
    await made(cluster.request('DELETE', path));
  });

  it('count what pods ask for, and want every container to say it', async () => {
    const path = await quota('compute', { hard: { 'limits.cpu': '2', 'requests.memory': '100Mi', pods: '5' } });
    const silent = await cluster.request('POST', `${core}/pods`, { body: pod('silent') });
    expect(silent.body.message).toBe(
      'pods "silent" is forbidden: failed quota: compute: must specify limits.cpu for: c; requests.memory for: c',
    );
    const resources = { requests: { cpu: '100m', memory: '60Mi' }, limits: { cpu: '500m' } };
    await made(cluster.request('POST', `${core}/pods`, { body: pod('first', {}, resources) }));
    await untilUsed(path, { 'limits.cpu': '500m', pods: '1', 'requests.memory': '60Mi' });
    const second = await cluster.request('POST', `${core}/pods`, { body: pod('second', {}, resources) });
    expect(second.body.message).toBe(
      'pods "second" is forbidden: exceeded quota: compute, requested: requests.memory=60Mi, used: requests.memory=60Mi, limited: requests.memory=100Mi',
    );
    await made(cluster.request('DELETE', `${core}/pods/first?gracePeriodSeconds=0`));
    await untilUsed(path, { 'limits.cpu': '0', pods: '0', 'requests.memory': '0' });
    await made(cluster.request('DELETE', path));
  });

  it('with a scope are about the pods of that scope alone', async () => {
    const path = await quota('short', { hard: { pods: '1' }, scopes: ['Terminating'] });
    await made(cluster.request('POST', `${core}/pods`, { body: pod('long') }));
    const limited = { activeDeadlineSeconds: 3600 };
    await made(cluster.request('POST', `${core}/pods`, { body: pod('batch', limited) }));
    await untilUsed(path, { pods: '1' });
    expect((await cluster.request('POST', `${core}/pods`, { body: pod('more', limited) })).code).toBe(403);
    await made(cluster.request('DELETE', path));
  });
});
