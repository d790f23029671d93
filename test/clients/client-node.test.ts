import { Writable } from 'node:stream';
import {
  ApiException,
  AppsV1Api,
  CoordinationV1Api,
  CoreV1Api,
  Exec,
  KubeConfig,
  type KubernetesListObject,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  type V1Lease,
  V1MicroTime,
  Watch,
} from '@kubernetes/client-node';
import { afterAll, describe, expect, it } from 'vitest';
import { testCluster } from '../support/cluster.ts';

const cluster = await testCluster({ controllers: true, nodes: 1, speed: 20 });
afterAll(() => cluster.close());

const { namespace } = cluster;
const config = new KubeConfig();
config.loadFromString(cluster.kubeconfig);
const core = config.makeApiClient(CoreV1Api);
const leases = config.makeApiClient(CoordinationV1Api);

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`it never came to this: ${what}`);
}

const create = (name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}) =>
  core.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels }, data } });

describe('an informer', () => {
  it('follows a collection, also over the end of its watch and after a pause', async () => {
    const labelSelector = 'informed';
    const list = (): Promise<KubernetesListObject<V1ConfigMap>> => {
      return core.listNamespacedConfigMap({ namespace, labelSelector });
    };
    await create('before', {}, { informed: 'x' });
    // The server ends each watch after a second, and the informer goes on with the next.
    const path = `/api/v1/namespaces/${namespace}/configmaps?timeoutSeconds=1`;
    const informer = makeInformer(config, path, list, labelSelector);
    const names = () =>
      informer
        .list(namespace)
        .map(({ metadata }) => metadata?.name ?? '')
        .sort();
    const errors: unknown[] = [];
    informer.on('error', (error: unknown) => {
      errors.push(error);
      void informer.start();
    });
    await informer.start();
    expect(names()).toEqual(['before']);
    await create('during', {}, { informed: 'x' });
    await until('the informer knows the second', () => names().join() === 'before,during');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await core.deleteNamespacedConfigMap({ namespace, name: 'before' });
    await until('the informer forgets the first', () => names().join() === 'during');
    await informer.stop();
    await create('stopped', {}, { informed: 'x' });
    await informer.start();
    await until('the informer has caught up', () => names().join() === 'during,stopped');
    await informer.stop();
    expect(errors.filter((error) => !isAbort(error))).toEqual([]);
  });
});

/** Stopping an informer breaks its connection off, which it reports. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && /abort/i.test(`${error.name} ${error.message}`);
}

describe('a watch', () => {
  it('tells events and ends when the server says so', async () => {
    const seen: string[] = [];
    const { resourceVersion } = (await core.listNamespacedConfigMap({ namespace })).metadata ?? {};
    const ended = new Promise<unknown>((resolve) => {
      void new Watch(config).watch(
        `/api/v1/namespaces/${namespace}/configmaps`,
        { resourceVersion: resourceVersion ?? '', timeoutSeconds: 1, labelSelector: 'watched' },
        (phase: string, object: V1ConfigMap) => seen.push(`${phase} ${object.metadata?.name}`),
        (error: unknown) => resolve(error),
      );
    });
    await create('watched', {}, { watched: 'x' });
    await core.deleteNamespacedConfigMap({ namespace, name: 'watched' });
    await ended;
    expect(seen).toEqual(['ADDED watched', 'DELETED watched']);
  });
});

describe('leader election on a lease', () => {
  const name = 'leader';

  async function tryToLead(identity: string, seen: V1Lease | undefined): Promise<boolean> {
    const spec = { holderIdentity: identity, leaseDurationSeconds: 15, renewTime: new V1MicroTime() };
    try {
      if (seen === undefined) await leases.createNamespacedLease({ namespace, body: { metadata: { name }, spec } });
      else await leases.replaceNamespacedLease({ namespace, name, body: { ...seen, spec: { ...seen.spec, ...spec } } });
      return true;
    } catch (error) {
      if (error instanceof ApiException && error.code === 409) return false;
      throw error;
    }
  }

  it('has one winner, whichever candidates race', async () => {
    const candidates = ['a', 'b', 'c', 'd'];
    const first = await Promise.all(candidates.map((identity) => tryToLead(identity, undefined)));
    expect(first.filter(Boolean)).toHaveLength(1);
    const seen = await leases.readNamespacedLease({ namespace, name });
    expect(seen.spec?.holderIdentity).toBe(candidates[first.indexOf(true)]);
    const second = await Promise.all(candidates.map((identity) => tryToLead(identity, seen)));
    expect(second.filter(Boolean)).toHaveLength(1);
    const now = await leases.readNamespacedLease({ namespace, name });
    expect(now.spec?.holderIdentity).toBe(candidates[second.indexOf(true)]);
    expect(now.spec?.renewTime).toBeDefined();
  });
});

describe('patches', () => {
  it.each([
    [PatchStrategy.MergePatch, { data: { a: '2' } }],
    [PatchStrategy.StrategicMergePatch, { data: { a: '2' } }],
    [PatchStrategy.JsonPatch, [{ op: 'replace', path: '/data/a', value: '2' }]],
  ])('%s', async (strategy, body) => {
    const name = `patched-${strategy.replaceAll(/[^a-z]/g, '-')}`.slice(0, 60).replace(/-+$/, '');
    await create(name, { a: '1' });
    const patched = await core.patchNamespacedConfigMap(
      { namespace, name, body },
      setHeaderOptions('Content-Type', strategy),
    );
    expect(patched.data).toEqual({ a: '2' });
  });

  it('by server-side apply', async () => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data: { a: '1' } };
    const applied = await core.patchNamespacedConfigMap(
      { namespace, name: 'applied', body, fieldManager: 'client-node', force: true },
      setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply),
    );
    expect(applied.metadata?.managedFields?.[0]).toMatchObject({ manager: 'client-node', operation: 'Apply' });
  });
});

describe('errors', () => {
  it('carry the status', async () => {
    const error: unknown = await core.readNamespacedConfigMap({ namespace, name: 'none' }).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(ApiException);
    expect((error as ApiException<string>).code).toBe(404);
    expect((error as ApiException<string>).body).toContain('configmaps \\"none\\" not found');
  });
});

describe.skipIf(cluster.lacksControllers)('a running pod', () => {
  it('can be evicted from, and commands run in it', async () => {
    const apps = config.makeApiClient(AppsV1Api);
    const labels = { app: 'exec' };
    const spec = {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'i' }] } },
    };
    await apps.createNamespacedDeployment({ namespace, body: { metadata: { name: 'exec' }, spec } });
    const pods = async () => (await core.listNamespacedPod({ namespace, labelSelector: 'app=exec' })).items;
    await until('the pod runs', async () => (await pods())[0]?.status?.phase === 'Running');
    const pod = (await pods())[0]?.metadata?.name ?? '';
    let out = '';
    const stdout = new Writable({
      write(chunk: Buffer, _encoding, next) {
        out += chunk.toString();
        next();
      },
    });
    const status = await new Promise<{ status?: string }>((resolve, reject) => {
      new Exec(config)
        .exec(namespace, pod, 'main', ['echo', 'hello'], stdout, stdout, null, false, resolve)
        .catch(reject);
    });
    expect(status.status).toBe('Success');
    expect(out).toBe('hello\n');
    await core.createNamespacedPodEviction({ namespace, name: pod, body: { metadata: { name: pod } } });
    await until('another pod runs', async () =>
      (await pods()).some(({ metadata, status }) => metadata?.name !== pod && status?.phase === 'Running'),
    );
  });
});
