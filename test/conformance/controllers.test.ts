import { afterAll, describe, expect, it } from 'vitest';
import { made, testCluster } from '../support/cluster.ts';
import type { Body } from '../support/kube-http.ts';

const cluster = await testCluster({ controllers: true, nodes: 3, speed: 20 });
afterAll(() => cluster.close());
// Where every test is skipped, no hook runs.
if (cluster.lacksControllers) await cluster.close();

const { namespace } = cluster;
const core = `/api/v1/namespaces/${namespace}`;
const apps = `/apis/apps/v1/namespaces/${namespace}`;
const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
const merge = 'application/merge-patch+json';

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`it never came to this: ${what}`);
}

const isGone = async (path: string) => (await cluster.request('GET', path)).code === 404;

function workload(name: string, more: object = {}) {
  const template = {
    metadata: { labels: { app: name } },
    spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'c', image: 'i' }] },
  };
  return { metadata: { name }, spec: { replicas: 3, selector: { matchLabels: { app: name } }, template, ...more } };
}

async function podsOf(app: string): Promise<readonly Body[]> {
  return (await made(cluster.request('GET', `${core}/pods?labelSelector=app%3D${app}`))).items;
}

const isReady = ({ status, metadata }: Body) =>
  metadata.deletionTimestamp === undefined &&
  ((status['conditions'] ?? []) as { type: string; status: string }[]).some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );

async function readyPods(app: string): Promise<readonly Body[]> {
  return (await podsOf(app)).filter(isReady);
}

async function running(kind: string, name: string, more: object = {}): Promise<string> {
  await made(cluster.request('POST', `${apps}/${kind}`, { body: workload(name, more) }));
  await until(`${name} is ready`, async () => (await readyPods(name)).length === 3);
  return `${apps}/${kind}/${name}`;
}

describe.skipIf(cluster.lacksControllers)('with controllers', () => {
  it('a new namespace gets a service account and the root certificate', async () => {
    const path = `/api/v1/namespaces/${await cluster.newNamespace()}`;
    await until('both are there', async () => {
      const found = await Promise.all([
        cluster.request('GET', `${path}/serviceaccounts/default`),
        cluster.request('GET', `${path}/configmaps/kube-root-ca.crt`),
      ]);
      return found.every(({ code }) => code === 200);
    });
  });

  it('a deleted namespace is emptied and then gone', async () => {
    const path = `/api/v1/namespaces/${await cluster.newNamespace()}`;
    const body = { metadata: { name: 'held', finalizers: ['example.com/hold'] } };
    await made(cluster.request('POST', `${path}/configmaps`, { body }));
    await made(cluster.request('POST', `${path}/secrets`, { body: { metadata: { name: 'free' } } }));
    await made(cluster.request('DELETE', path));
    await until('the secret is gone', () => isGone(`${path}/secrets/free`));
    expect((await cluster.request('GET', path)).body.status).toMatchObject({ phase: 'Terminating' });
    await until('the namespace waits for the finalizer', async () => {
      const { body } = await cluster.request('GET', path);
      return JSON.stringify(body.status).includes('NamespaceFinalizersRemaining');
    });
    await made(
      cluster.request('PATCH', `${path}/configmaps/held`, {
        contentType: merge,
        body: { metadata: { finalizers: null } },
      }),
    );
    await until('the namespace is gone', () => isGone(path));
  });

  it('what belongs to a deleted owner goes with it, or stays as an orphan', async () => {
    const owner = async (name: string) =>
      made(cluster.request('POST', `${core}/configmaps`, { body: { metadata: { name } } }));
    const dependent = async (name: string, of: Body) => {
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: of.metadata.name, uid: of.metadata.uid }];
      await made(cluster.request('POST', `${core}/configmaps`, { body: { metadata: { name, ownerReferences } } }));
      return `${core}/configmaps/${name}`;
    };
    const background = await dependent('d1', await owner('o1'));
    await made(cluster.request('DELETE', `${core}/configmaps/o1`));
    await until('the dependent is gone', () => isGone(background));
    const orphan = await dependent('d2', await owner('o2'));
    await made(cluster.request('DELETE', `${core}/configmaps/o2?propagationPolicy=Orphan`));
    await until('the owner is gone', () => isGone(`${core}/configmaps/o2`));
    expect((await made(cluster.request('GET', orphan))).metadata['ownerReferences']).toBeUndefined();
  });

  it('foreground deletion waits for those who block it', async () => {
    const owner = await made(cluster.request('POST', `${core}/configmaps`, { body: { metadata: { name: 'front' } } }));
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'front', uid: owner.metadata.uid, blockOwnerDeletion: true },
    ];
    const body = { metadata: { name: 'blocks', ownerReferences, finalizers: ['example.com/hold'] } };
    await made(cluster.request('POST', `${core}/configmaps`, { body }));
    await made(cluster.request('DELETE', `${core}/configmaps/front?propagationPolicy=Foreground`));
    await until('the dependent is going', async () => {
      const { metadata } = await made(cluster.request('GET', `${core}/configmaps/blocks`));
      return metadata.deletionTimestamp !== undefined;
    });
    expect((await cluster.request('GET', `${core}/configmaps/front`)).code).toBe(200);
    const free = { metadata: { finalizers: null } };
    await made(cluster.request('PATCH', `${core}/configmaps/blocks`, { contentType: merge, body: free }));
    await until('the owner is gone', () => isGone(`${core}/configmaps/front`));
  });

  it('a deployment has its pods replaced when its template changes', async () => {
    const path = await running('deployments', 'web');
    const before = (await readyPods('web')).map(({ metadata }) => metadata.uid);
    const body = { spec: { template: { spec: { containers: [{ name: 'c', image: 'j' }] } } } };
    await made(cluster.request('PATCH', path, { contentType: 'application/strategic-merge-patch+json', body }));
    await until('all pods are new', async () => {
      const pods = await podsOf('web');
      return pods.length === 3 && pods.every((pod) => isReady(pod) && !before.includes(pod.metadata.uid));
    });
    await until('the status says so', async () => {
      const { status, metadata } = await made(cluster.request('GET', path));
      return status['observedGeneration'] === metadata.generation && status['updatedReplicas'] === 3;
    });
    await made(cluster.request('DELETE', path));
    await until('its pods are gone', async () => (await podsOf('web')).length === 0);
  });

  it('a stateful set keeps names in order and replaces what is evicted, within its budget', async () => {
    await running('statefulsets', 'db', { serviceName: 'db' });
    const names = async () => (await podsOf('db')).map(({ metadata }) => metadata.name).sort();
    expect(await names()).toEqual(['db-0', 'db-1', 'db-2']);
    const body = { metadata: { name: 'db' }, spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'db' } } } };
    await made(cluster.request('POST', budgets, { body }));
    const status = async () => (await made(cluster.request('GET', `${budgets}/db`))).status;
    await until('the budget allows one', async () => (await status())?.['disruptionsAllowed'] === 1);
    expect(await status()).toMatchObject({ expectedPods: 3, currentHealthy: 3, desiredHealthy: 2 });
    const evict = (name: string) =>
      cluster.request('POST', `${core}/pods/${name}/eviction`, { body: { metadata: { name } } });
    expect((await evict('db-0')).code).toBe(201);
    expect((await evict('db-1')).code).toBe(429);
    await until('it is whole again', async () => (await readyPods('db')).length === 3);
    await until('the budget allows one again', async () => (await status())?.['disruptionsAllowed'] === 1);
    expect(await names()).toEqual(['db-0', 'db-1', 'db-2']);
  });
});
