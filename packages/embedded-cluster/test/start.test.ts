import { expect, it, vi } from 'vitest';
import { KubeHttp } from '../../../test/support/kube-http.ts';
import { createPki } from '../src/auth/pki.ts';
import { type ClusterOptions, startCluster } from '../src/cluster.ts';
import { createMemoryStore } from '../src/store/memory-store.ts';
import { realClock } from '../src/time/clock.ts';

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
  const closed = vi.spyOn(store, 'close');
  const prepare = () => Promise.reject(new Error('a snapshot that cannot be loaded'));
  await expect(startCluster(options({ port, store, prepare }))).rejects.toThrow('cannot be loaded');
  expect(closed).toHaveBeenCalledTimes(1);

  const first = await startCluster(options({ port }));
  await expect(startCluster(options({ port, store }))).rejects.toMatchObject({ code: 'EADDRINUSE' });
  expect(closed).toHaveBeenCalledTimes(2);
  await first.close();
});

it('finds what it had when it starts again on the same store', async () => {
  const store = createMemoryStore();
  await (await startCluster(options({ store }))).close();
  const before = store.list('services').map(({ revision }) => revision);
  await (await startCluster(options({ store }))).close();
  expect(before).toHaveLength(1);
  expect(store.list('services').map(({ revision }) => revision)).toEqual(before);
});
