import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { holdfastFor } from '../../../../../test/e2e/support/holdfast.ts';
import { ensureBuilt } from '../../../../../test/support/built.ts';
import { made, type TestCluster, testCluster } from '../../../../../test/support/cluster.ts';
import { ConnectProxy, type ConnectProxyWish } from '../../../../../test/support/connect-proxy.ts';
import { createPki } from '../../../../embedded-cluster/src/auth/pki.ts';
import { realClock as clusterClock } from '../../../../embedded-cluster/src/time/clock.ts';
import { accessOf, parseKubeconfig } from '../../../src/kube/config/kubeconfig.ts';
import { targetOf } from '../../../src/kube/config/target-of.ts';
import { realClock } from '../../../src/kube/time/clock.ts';
import { Connection } from '../../../src/kube/transport/connection.ts';

ensureBuilt();
let cluster: TestCluster;
beforeAll(async () => {
  cluster = await testCluster();
  await cluster.newNamespace();
});
afterAll(() => cluster.close());

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function proxyWith(wish: ConnectProxyWish = {}): Promise<ConnectProxy> {
  const proxy = await ConnectProxy.start(wish);
  cleanups.push(() => proxy.close());
  return proxy;
}

/** The administrator's kubeconfig, with other settings of the cluster. */
function kubeconfigWith(settings: (server: URL) => Record<string, string>): string {
  const config = parse(cluster.kubeconfig) as { clusters: { name: string; cluster: { server: string } }[] };
  const clusters = config.clusters.map(({ name, cluster: one }) => ({
    name,
    cluster: { ...one, ...settings(new URL(one.server)) },
  }));
  return stringify({ ...config, clusters });
}

function through(proxy: Pick<ConnectProxy, 'url'>): Connection {
  const access = accessOf(
    parseKubeconfig(
      kubeconfigWith(() => ({ 'proxy-url': proxy.url })),
      '/',
    ),
  );
  const connection = new Connection(targetOf(access, realClock), { clock: realClock, userAgent: 'test' });
  cleanups.push(() => connection.close());
  return connection;
}

const get = (path: string) => ({ method: 'GET', path, deadlineMs: 20_000 }) as const;

async function firstEvent(connection: Connection): Promise<string> {
  const path = `/api/v1/namespaces/${cluster.namespace}/configmaps?watch=1`;
  const opened = await connection.openWatch({ deadlineMs: 20_000 }, () => path);
  if (!opened.ok) throw new Error(opened.failure.message);
  const name = `seen-${cleanups.length}`;
  const seen = new Promise<string>((resolve) => opened.value.body.once('data', (part) => resolve(String(part))));
  const configMaps = `/api/v1/namespaces/${cluster.namespace}/configmaps`;
  await made(cluster.request('POST', configMaps, { body: { metadata: { generateName: name } } }));
  const event = await seen;
  opened.value.body.destroy();
  return event;
}

describe('an HTTP proxy', () => {
  it.each([
    ['without TLS', {}],
    ['with credentials', { credentials: 'me:secret' }],
  ] as const)('carries requests and watches: %s', async (_, wish) => {
    const proxy = await proxyWith(wish);
    const connection = through(proxy);
    expect(await connection.exchange(get('/version'))).toMatchObject({ ok: true });
    expect(await connection.exchange(get('/version'))).toMatchObject({ ok: true });
    const { host } = new URL(accessOf(parseKubeconfig(cluster.kubeconfig, '/')).server);
    // The second request goes over the same connection.
    expect(proxy.asked).toEqual([host]);
    expect(await firstEvent(connection)).toContain('"ADDED"');
  });

  it('that wants credentials is told apart from a server that refuses', async () => {
    const proxy = await proxyWith({ credentials: 'me:secret' });
    const open = through({ url: proxy.url.replace('me:secret@', '') });
    const failed = await open.exchange(get('/version'));
    expect(failed).toMatchObject({ ok: false, failure: { kind: 'retry', cause: 'connection', maybeDone: false } });
    expect(!failed.ok && failed.failure.message).toMatch(/proxy 127\.0\.0\.1:\d+: it refuses .*\(407 .*put the user/);
  });

  it('that is not there is named', async () => {
    const proxy = await ConnectProxy.start();
    const connection = through(proxy);
    const { host } = new URL(proxy.url);
    await proxy.close();
    const failed = await connection.exchange({ ...get('/version'), method: 'POST', body: '{}' });
    expect(failed).toMatchObject({ ok: false, failure: { cause: 'connection', maybeDone: false } });
    expect(!failed.ok && failed.failure.message).toContain(`proxy ${host}: connect ECONNREFUSED`);
  });
});

describe('the command line behind a proxy', () => {
  const behind = (server: URL) => ({
    server: `https://kubernetes.test:${server.port}`,
    'tls-server-name': 'localhost',
  });

  it('goes through the proxy of the kubeconfig, whatever the environment says', async () => {
    const proxy = await proxyWith({ knows: ['kubernetes.test'] });
    const kubeconfig = kubeconfigWith((server) => ({ ...behind(server), 'proxy-url': proxy.url }));
    const ran = await holdfastFor(kubeconfig, { HTTPS_PROXY: 'http://127.0.0.1:1' })('status', '-A');
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(proxy.asked.length).toBeGreaterThan(0);
  });

  it('goes through that of the environment, where the kubeconfig names none', async () => {
    const proxy = await proxyWith({ knows: ['kubernetes.test'] });
    const kubeconfig = kubeconfigWith(behind);
    expect(await holdfastFor(kubeconfig, { HTTPS_PROXY: proxy.url })('status', '-A')).toMatchObject({ code: 0 });
    const asked = proxy.asked.length;
    expect(asked).toBeGreaterThan(0);
    const without = await holdfastFor(kubeconfig, { HTTPS_PROXY: proxy.url, NO_PROXY: 'kubernetes.test' })('status');
    expect(without.code).toBe(2);
    expect(without.err).toContain('cannot reach the API server at https://kubernetes.test:');
    expect(proxy.asked).toHaveLength(asked);
  });

  it('speaks TLS with a proxy whose address is https', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-proxy-'));
    cleanups.push(() => rmSync(folder, { recursive: true }));
    const { material } = createPki({ clock: clusterClock });
    const authority = join(folder, 'ca.crt');
    writeFileSync(authority, material.caCertificate);
    const tls = { cert: material.serverCertificate, key: material.serverKey };
    const proxy = await proxyWith({ tls, credentials: 'me:secret', knows: ['kubernetes.test'] });
    const kubeconfig = kubeconfigWith((server) => ({ ...behind(server), 'proxy-url': proxy.url }));
    const ran = await holdfastFor(kubeconfig, { NODE_EXTRA_CA_CERTS: authority })('status', '-A');
    expect(ran).toMatchObject({ code: 0, err: '' });
    const untrusted = await holdfastFor(kubeconfig)('status', '-A');
    expect(untrusted.code).toBe(2);
    expect(untrusted.err).toMatch(/proxy 127\.0\.0\.1:\d+: .*certificate/);
    expect(untrusted.err).not.toContain('secret');
  });

  it('refuses a SOCKS proxy with the reason', async () => {
    const kubeconfig = kubeconfigWith((server) => ({ ...behind(server), 'proxy-url': 'socks5://127.0.0.1:1080' }));
    const { code, out, err } = await holdfastFor(kubeconfig)('status');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('names a socks5 proxy (127.0.0.1:1080), which is not supported');
  });
});

describe('a cluster that cannot be reached', () => {
  it('is named, with the context and the file', async () => {
    const kubeconfig = kubeconfigWith(() => ({ server: 'https://127.0.0.1:1' }));
    const { code, err } = await holdfastFor(kubeconfig)('status');
    expect(code).toBe(2);
    expect(err).toMatch(
      /^error: cannot reach the API server at https:\/\/127\.0\.0\.1:1 \(context ".*" of \/.*kubeconfig\): connect ECONNREFUSED/,
    );
    expect(err).toContain('Check that the cluster is running');
  });

  it('whose certificate another authority signed is told apart from one that is down', async () => {
    const { material } = createPki({ clock: clusterClock });
    const other = Buffer.from(material.caCertificate).toString('base64');
    const kubeconfig = kubeconfigWith(() => ({ 'certificate-authority-data': other }));
    const { code, err } = await holdfastFor(kubeconfig)('status');
    expect(code).toBe(2);
    expect(err).toMatch(/^error: the certificate of https:\/\/127\.0\.0\.1:\d+ \(context .* is not trusted: /);
    expect(err).not.toContain('Check that the cluster is running');
  });

  it('is looked for in the file that was named', async () => {
    const { code, err } = await holdfastFor(cluster.kubeconfig, { KUBECONFIG: '/nonexistent/kubeconfig' })('status');
    expect(code).toBe(2);
    expect(err).toContain('there is no kubeconfig: /nonexistent/kubeconfig (KUBECONFIG) does not exist');
  });
});
