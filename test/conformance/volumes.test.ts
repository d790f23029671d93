import { afterAll, describe, expect, it } from 'vitest';
import { made, testCluster } from '../support/cluster.ts';
import type { Body } from '../support/kube-http.ts';

const cluster = await testCluster({ controllers: true });
afterAll(() => cluster.close());
if (cluster.lacksControllers) await cluster.close();

const volumes = '/api/v1/persistentvolumes';
const claims = `/api/v1/namespaces/${cluster.namespace}/persistentvolumeclaims`;
const common = { accessModes: ['ReadWriteOnce'], storageClassName: '' };

async function until(path: string, holds: (body: Body) => boolean): Promise<Body> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const { code, body } = await cluster.request('GET', path);
    if (code === 200 && holds(body)) return body;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`it never came to this: ${path}`);
}

const isIn = (phase: string) => (body: Body) => body.status?.['phase'] === phase;

function createVolume(name: string, label: string, more: object = {}): Promise<Body> {
  cluster.cleanUp(`${volumes}/${name}`);
  const csi = { driver: 'csi.example.com', volumeHandle: name };
  const spec = { ...common, capacity: { storage: '2Gi' }, csi, persistentVolumeReclaimPolicy: 'Retain', ...more };
  return made(cluster.request('POST', volumes, { body: { metadata: { name, labels: { test: label } }, spec } }));
}

function createClaim(name: string, label: string, more: object = {}): Promise<Body> {
  const selector = { matchLabels: { test: label } };
  const spec = { ...common, selector, resources: { requests: { storage: '1Gi' } }, ...more };
  return made(cluster.request('POST', claims, { body: { metadata: { name }, spec } }));
}

describe.skipIf(cluster.lacksControllers)('a claim for a volume', () => {
  it('gets one that is there, and lets it go with itself', async () => {
    const name = cluster.name('free');
    await createVolume(name, name);
    await until(`${volumes}/${name}`, isIn('Available'));
    const { metadata } = await createClaim('free', name);
    const claim = await until(`${claims}/free`, isIn('Bound'));
    expect(claim.spec['volumeName']).toBe(name);
    expect(claim.status).toMatchObject({ capacity: { storage: '2Gi' }, accessModes: ['ReadWriteOnce'] });
    const volume = await until(`${volumes}/${name}`, isIn('Bound'));
    expect(volume.spec['claimRef']).toMatchObject({ name: 'free', namespace: cluster.namespace, uid: metadata.uid });
    await made(cluster.request('DELETE', `${claims}/free`));
    await until(`${volumes}/${name}`, isIn('Released'));
  });

  it('waits for one that comes later, and takes the one that it names', async () => {
    const name = cluster.name('named');
    await createClaim('named', name, { volumeName: name });
    const claimRef = { name: 'named', namespace: cluster.namespace };
    await createVolume(name, name, { claimRef });
    const { spec } = await until(`${claims}/named`, isIn('Bound'));
    expect(spec['volumeName']).toBe(name);
  });

  it('stays pending while none is large enough', async () => {
    const name = cluster.name('small');
    await createVolume(name, name);
    await createClaim('large', name, { resources: { requests: { storage: '5Gi' } } });
    await until(`${volumes}/${name}`, isIn('Available'));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await made(cluster.request('GET', `${claims}/large`))).status).toMatchObject({ phase: 'Pending' });
  });
});
