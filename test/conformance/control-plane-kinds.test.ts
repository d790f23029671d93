import { afterAll, describe, expect, it } from 'vitest';
import { made, testCluster } from '../support/cluster.ts';
import type { Body } from '../support/kube-http.ts';
import { minorOf } from '../support/server-version.ts';

const cluster = await testCluster({ controllers: true });
afterAll(() => cluster.close());
/** Before 1.37 no version of it is served unless a flag of the API server asks for it. */
const migratesStorage = (await minorOf(cluster)) >= 37;
if (cluster.lacksControllers) await cluster.close();

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const services = '/apis/apiregistration.k8s.io/v1/apiservices';

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`it never came to this: ${what}`);
}

const conditionsOf = ({ status }: Body) => (status['conditions'] ?? []) as readonly Record<string, string>[];
const isThere = async (path: string) => (await cluster.request('GET', path)).code === 200;

/** For the name holdfast-conformance, by a key that was thrown away. */
const realRequest =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIYU1JR0JBZ0VBTUI4eEhUQWJCZ05WQkFNTUZHaHZiR1JtWVhOMExXTnZibVp2Y20xaGJtTmxNRmt3RXdZSApLb1pJemowQ0FRWUlLb1pJemowREFRY0RRZ0FFcDJNZndiak82eXhQb2J1bXZ2UEFjV2hheENqNkZsRWlyekgxCmx0Y2xySFZacVoydExPeWR3RzRveWZQT2hoVEp5cGlrMGJmWU1vSFhpZWZJM0lYd3ZhQUFNQW9HQ0NxR1NNNDkKQkFNQ0EwZ0FNRVVDSVFEUXJvNzNOYUpZMjhIN1EwdjNrSW96QysrSlVVeHBpU01GR2xoQ0dHV2VpUUlnZjkzYQpRYUI5cmR0dFNDa0Z1YUpVSkI5dksveE1Ld0ZobDE5Kyt4UWFyZ1U9Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=';

describe.skipIf(cluster.lacksControllers)('kinds of the control plane', () => {
  it('there is an API service for everything that is served, and it says that it is local', async () => {
    await until('the service of apps is available', async () => {
      const { code, body } = await cluster.request('GET', `${services}/v1.apps`);
      return code === 200 && conditionsOf(body).some(({ type, status }) => type === 'Available' && status === 'True');
    });
    const { body } = await cluster.request('GET', `${services}/v1.apps`);
    expect(body.spec).toMatchObject({ group: 'apps', version: 'v1' });
    expect(conditionsOf(body)[0]).toMatchObject({ reason: 'Local', message: 'Local APIServices are always available' });
    expect(await isThere(`${services}/v1.`)).toBe(true);
  });

  it('a custom group gets its API service, and loses it', async () => {
    const group = `${cluster.name('group')}.example.com`;
    const path = `${crds}/things.${group}`;
    const schema = { openAPIV3Schema: { type: 'object' } };
    const spec = {
      group,
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    };
    cluster.cleanUp(path);
    await made(cluster.request('POST', crds, { body: { metadata: { name: `things.${group}` }, spec } }));
    await until('it has a service', () => isThere(`${services}/v1.${group}`));
    await made(cluster.request('DELETE', path));
    await until('the service is gone', async () => !(await isThere(`${services}/v1.${group}`)));
  });

  it('who asks for a certificate is who says so, and an approval changes nothing else', async () => {
    const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
    const name = cluster.name('csr');
    const spec = { request: realRequest, signerName: 'example.com/s', usages: ['client auth'] };
    const refused = await cluster.request('POST', path, {
      body: { metadata: { name }, spec: { ...spec, request: 'YWJj' } },
    });
    expect(refused.code).toBe(422);
    const real = await cluster.request('POST', path, {
      body: { metadata: { name }, spec: { ...spec, username: 'another-user' } },
    });
    expect(real.code).toBe(201);
    cluster.cleanUp(`${path}/${name}`);
    expect(real.body.spec['username']).not.toBe('another-user');
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: 'for the test' }];
    const wanted = {
      ...real.body,
      spec: { ...real.body.spec, signerName: 'example.com/other' },
      status: { conditions },
    };
    const approved = await made(cluster.request('PUT', `${path}/${name}/approval`, { body: wanted }));
    expect(conditionsOf(approved)).toMatchObject(conditions);
    expect(approved.spec['signerName']).toBe('example.com/s');
  });

  it('a flow schema gets its defaults, a generation, and a status of its own', async () => {
    const path = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
    const name = cluster.name('schema');
    const spec = { priorityLevelConfiguration: { name: 'exempt' } };
    const created = await made(cluster.request('POST', path, { body: { metadata: { name }, spec } }));
    cluster.cleanUp(`${path}/${name}`);
    expect(created.spec['matchingPrecedence']).toBe(1000);
    expect(created.metadata.generation).toBe(1);
    const merge = { contentType: 'application/merge-patch+json', body: { spec: { matchingPrecedence: 9999 } } };
    expect((await made(cluster.request('PATCH', `${path}/${name}`, merge))).metadata.generation).toBe(2);
  });

  it.skipIf(!migratesStorage)('a migration of storage cannot change what it is about', async () => {
    const path = '/apis/storagemigration.k8s.io/v1/storageversionmigrations';
    const name = cluster.name('migration');
    const body = { metadata: { name }, spec: { resource: { group: '', resource: 'unheards' } } };
    await made(cluster.request('POST', path, { body }));
    cluster.cleanUp(`${path}/${name}`);
    const merge = { contentType: 'application/merge-patch+json', body: { spec: { resource: { resource: 'pods' } } } };
    const refused = await cluster.request('PATCH', `${path}/${name}`, merge);
    expect(refused.code).toBe(422);
    expect(refused.body.message).toContain('spec: Invalid value');
    expect(refused.body.message).toContain('field is immutable');
  });
});
