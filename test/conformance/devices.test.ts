import { afterAll, describe, expect, it } from 'vitest';
import { made, testCluster } from '../support/cluster.ts';

const cluster = await testCluster();
afterAll(() => cluster.close());

const merge = 'application/merge-patch+json';
const claims = `/apis/resource.k8s.io/v1/namespaces/${cluster.namespace}/resourceclaims`;
const templates = `/apis/resource.k8s.io/v1/namespaces/${cluster.namespace}/resourceclaimtemplates`;
const attributes = '/apis/storage.k8s.io/v1/volumeattributesclasses';

const devices = {
  requests: [
    { name: 'one', exactly: { deviceClassName: 'gold' } },
    { name: 'either', firstAvailable: [{ name: 'all', deviceClassName: 'gold', allocationMode: 'All' }] },
  ],
};
const complete = {
  requests: [
    { name: 'one', exactly: { deviceClassName: 'gold', allocationMode: 'ExactCount', count: 1 } },
    { name: 'either', firstAvailable: [{ name: 'all', deviceClassName: 'gold', allocationMode: 'All' }] },
  ],
};

describe('a claim for devices', () => {
  it('wants one of each unless it says how many, and waits', async () => {
    const body = { metadata: { name: 'a' }, spec: { devices }, status: { reservedFor: [] } };
    const claim = await made(cluster.request('POST', claims, { body }));
    expect(claim.spec).toEqual({ devices: complete });
    expect(claim.status).toEqual({});
    const template = { metadata: { name: 'a' }, spec: { spec: { devices } } };
    const kept = await made(cluster.request('POST', templates, { body: template }));
    expect(kept.spec).toMatchObject({ spec: { devices: complete } });
  });

  it('does not change what it wants', async () => {
    await made(cluster.request('POST', claims, { body: { metadata: { name: 'b' }, spec: { devices } } }));
    const body = { spec: { devices: { requests: [{ name: 'two', exactly: { deviceClassName: 'gold' } }] } } };
    const { code, body: refusal } = await cluster.request('PATCH', `${claims}/b`, { contentType: merge, body });
    expect(code).toBe(422);
    expect(refusal.message).toContain('field is immutable');
  });
});

describe('a class of volume attributes', () => {
  const name = cluster.name('attributes');
  const parameters = { iops: '100' };

  it('needs a driver and parameters', async () => {
    const { code, body } = await cluster.request('POST', attributes, { body: { metadata: { name }, driverName: '' } });
    expect(code).toBe(422);
    expect(body.message).toContain('driverName: Required value');
    expect(body.message).toContain('parameters: Required value: must contain at least one key/value pair');
  });

  it('stays as it is', async () => {
    cluster.cleanUp(`${attributes}/${name}`);
    await made(
      cluster.request('POST', attributes, {
        body: { metadata: { name }, driverName: 'csi.example.com', parameters },
      }),
    );
    const { body } = await cluster.request('PATCH', `${attributes}/${name}`, {
      contentType: merge,
      body: { parameters: { iops: '200' } },
    });
    expect(body).toMatchObject({ code: 422 });
    expect(body.message).toContain('parameters: Forbidden: updates to parameters are forbidden.');
  });
});
