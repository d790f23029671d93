import { expect, it } from 'vitest';
import { createPki } from '../../src/cluster/auth/pki.ts';
import { type ClusterOptions, startCluster } from '../../src/cluster/cluster.ts';
import { createMemoryStore } from '../../src/cluster/store/memory-store.ts';
import { realClock } from '../../src/cluster/time/clock.ts';
import { KubeHttp } from '../support/kube-http.ts';

const pki = createPki({ clock: realClock });

/** Where a cluster is going to listen can be known before it has started. */
async function freePort(): Promise<number> {
  const cluster = await startCluster({ controllers: false, report: fail });
  await cluster.close();
  return cluster.port;
}

function fail(message: string, error: unknown): void {
  throw new Error(message, { cause: error });
}

function options(fields: Partial<ClusterOptions>): ClusterOptions {
  return { controllers: false, pki, report: fail, ...fields };
}

it('is not ready before everything has started', async () => {
  const port = await freePort();
  const { certificate, key } = pki.issueClient('admin', ['system:masters']);
  const access = { certificate: Buffer.from(certificate), key: Buffer.from(key) };
  const http = new KubeHttp({
    server: `https://127.0.0.1:${port}`,
    ca: Buffer.from(pki.material.caCertificate),
    ...access,
  });
  const ready = async () => (await http.request('GET', '/readyz')).code;
  let meanwhile: number | undefined;
  const prepare = async () => {
    meanwhile = await ready();
  };
  const cluster = await startCluster(options({ port, prepare }));
  expect([meanwhile, await ready()]).toEqual([500, 200]);
  http.close();
  await cluster.close();
});

it('lets go of the port and the store when it cannot start', async () => {
  const port = await freePort();
  const store = createMemoryStore();
  const prepare = () => Promise.reject(new Error('a snapshot that cannot be loaded'));
  await expect(startCluster(options({ port, store, prepare }))).rejects.toThrow('cannot be loaded');
  expect(() => store.create('pods', 'a', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } })).toThrow();

  const first = await startCluster(options({ port }));
  const other = createMemoryStore();
  await expect(startCluster(options({ port, store: other }))).rejects.toMatchObject({ code: 'EADDRINUSE' });
  expect(() => other.create('pods', 'a', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } })).toThrow();
  await first.close();
});

it('finds what it had when it starts again on the same store', async () => {
  const store = createMemoryStore();
  const unclosed = { ...bound(store), close: () => Promise.resolve() };
  const first = await startCluster(options({ store: unclosed }));
  const before = store.revision;
  await first.close();
  const second = await startCluster(options({ store }));
  expect(store.revision).toBe(before);
  await second.close();
});

/** The same store without its end, as a data directory outlives the process. */
function bound(store: ReturnType<typeof createMemoryStore>) {
  return {
    get revision() {
      return store.revision;
    },
    get: store.get.bind(store),
    list: store.list.bind(store),
    count: store.count.bind(store),
    resources: store.resources.bind(store),
    page: store.page.bind(store),
    create: store.create.bind(store),
    update: store.update.bind(store),
    remove: store.remove.bind(store),
    watch: store.watch.bind(store),
    subscribe: store.subscribe.bind(store),
    durable: store.durable.bind(store),
  };
}
