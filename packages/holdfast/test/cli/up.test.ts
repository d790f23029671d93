import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../../../../test/support/built.ts';
import { accessFrom, type Body, KubeHttp } from '../../../../test/support/kube-http.ts';
import { UpProcess } from './up-process.ts';

const root = mkdtempSync(join(tmpdir(), 'holdfast-up-'));
const running: UpProcess[] = [];

beforeAll(() => {
  ensureBuilt();
});
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop('SIGKILL');
});
afterAll(() => rmSync(root, { recursive: true }));

/** For tests of ports, kubeconfigs and data directories: an operator would only take longer to start. */
const bare = ['--empty', '--no-operator'];

function folder(): string {
  return mkdtempSync(join(root, 'case-'));
}

function up(where: string, ...args: readonly string[]): UpProcess {
  const started = new UpProcess(where, ['--port', '0', ...args]);
  running.push(started);
  return started;
}

async function items({ http }: UpProcess, path: string): Promise<readonly Body[]> {
  return (await http.request('GET', path)).body.items;
}

function isReady({ status }: Body): boolean {
  const conditions = status['conditions'] as readonly { type: string; status: string }[];
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

function portOf(cluster: UpProcess): number {
  return Number(new URL(accessFrom(cluster.kubeconfig()).server).port);
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('close', () => socket.destroy());
  });
}

describe('exec probes in the cluster of holdfast up', () => {
  it('run where that was allowed, and nowhere else', async () => {
    const cluster = await up(
      folder(),
      '--empty',
      '--nodes',
      '1',
      '--speed',
      '10',
      '--exec-namespace',
      'trusted',
    ).ready();
    const { http } = cluster;
    const probe = { 'holdfast.dev/disruption-probe': '{"exec":{"command":["true"]},"periodSeconds":1}' };
    for (const name of ['trusted', 'other']) {
      await http.request('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
      const body = {
        metadata: { name: 'db', annotations: probe },
        spec: { containers: [{ name: 'main', image: 'db' }] },
      };
      const path = `/api/v1/namespaces/${name}/pods`;
      await expect.poll(async () => (await http.request('POST', path, { body })).code, { timeout: 20_000 }).toBe(201);
    }
    const disruptable = async (namespace: string) => {
      const { body } = await http.request('GET', `/api/v1/namespaces/${namespace}/pods/db`);
      const conditions = (body.status['conditions'] ?? []) as readonly Record<string, string>[];
      const found = conditions.find(({ type }) => type === 'Disruptable');
      return `${found?.['status']} ${found?.['reason']}`;
    };
    await expect.poll(() => disruptable('trusted'), { timeout: 30_000 }).toBe('True ProbeSucceeded');
    await expect.poll(() => disruptable('other'), { timeout: 30_000 }).toBe('False ExecNotAllowed');
  });
});

describe('holdfast up', () => {
  it('runs the demo, says what runs and what to try, and leaves nothing behind', async () => {
    const where = folder();
    const cluster = await up(where, '--speed', '10').ready();
    expect(cluster.err).toBe('');
    expect(cluster.out).toMatch(/inference +LeaderWorkerSet +llm +2\/2 groups/);
    expect(cluster.out).toMatch(/database +StatefulSet +db +3\/3/);
    expect(cluster.out).toMatch(/web +Deployment +web +3\/3/);
    expect(cluster.out).toContain(`export KUBECONFIG=${where}/.holdfast/kubeconfig`);
    expect(cluster.out).toMatch(/kubectl drain node-\d --ignore-daemonsets --delete-emptydir-data/);
    expect(statSync(join(where, '.holdfast/kubeconfig')).mode & 0o777).toBe(0o600);
    expect((await cluster.http.request('GET', '/readyz')).text).toBe('ok');
    const pods = await items(cluster, '/api/v1/pods');
    expect(pods.filter(isReady)).toHaveLength(12);
    const nodes = await items(cluster, '/api/v1/nodes');
    const zones = nodes.map(({ metadata }) => metadata.labels['topology.kubernetes.io/zone']);
    expect([nodes.length, new Set(zones).size]).toEqual([6, 3]);

    const port = portOf(cluster);
    expect(await cluster.stop()).toBe(0);
    expect(cluster.out).toContain('stopped, and removed .holdfast/kubeconfig');
    expect(existsSync(join(where, '.holdfast/kubeconfig'))).toBe(false);
    expect(await isOpen(port)).toBe(false);
  });

  it('runs from the sources, empty, and stops on SIGTERM', async () => {
    const cluster = new UpProcess(folder(), ['--port', '0', '--empty', '--nodes', '2'], 'sources');
    running.push(cluster);
    await cluster.ready();
    expect(await items(cluster, '/api/v1/pods')).toEqual([]);
    expect(await items(cluster, '/api/v1/nodes')).toHaveLength(2);
    expect(cluster.out).toContain('examples/demo.yaml');
    // As with npm in between, which passes on a signal that the terminal sends to all processes anyway.
    void cluster.stop('SIGTERM');
    expect(await cluster.stop('SIGTERM')).toBe(0);
  });

  it('installs the definitions of its own kinds, or not', async () => {
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const names = async (cluster: UpProcess) => (await items(cluster, crds)).map(({ metadata }) => metadata.name);
    const [full, bare] = [up(folder(), '--empty'), up(folder(), '--empty', '--no-operator')];
    const lws = 'leaderworkersets.leaderworkerset.x-k8s.io';
    expect(await names(await full.ready())).toEqual([
      'disruptionledgers.holdfast.dev',
      lws,
      'podunavailablebudgets.policy.kruise.io',
    ]);
    expect(await names(await bare.ready())).toEqual([lws]);
  });

  it('says that its port is in use, and leaves the other one alone', async () => {
    const where = folder();
    const first = await up(where, ...bare).ready();
    const kubeconfig = first.kubeconfig();
    const second = new UpProcess(where, ['--port', String(portOf(first)), ...bare]);
    expect(await second.ended()).toBe(2);
    expect(second.err).toMatch(/^error: port \d+ is in use, perhaps by another `holdfast up`/);
    expect(first.kubeconfig()).toBe(kubeconfig);
    expect((await first.http.request('GET', '/readyz')).text).toBe('ok');
  });

  it('never touches a kubeconfig of another cluster', async () => {
    const where = folder();
    writeFileSync(join(where, 'mine'), 'apiVersion: v1\n');
    const cluster = up(where, '--empty', '--kubeconfig', 'mine');
    expect(await cluster.ended()).toBe(2);
    expect(cluster.err).toContain('mine exists and was not written by holdfast');
    expect(readFileSync(join(where, 'mine'), 'utf8')).toBe('apiVersion: v1\n');
  });

  it('leaves the kubeconfig to the one that wrote it last', async () => {
    const where = folder();
    const first = await up(where, ...bare).ready();
    const second = await up(where, ...bare).ready();
    expect(await first.stop()).toBe(0);
    expect((await second.http.request('GET', '/readyz')).text).toBe('ok');
  });

  it('exits with 2 on a file that is not there, and names it', async () => {
    const cluster = up(folder(), '--load', 'missing.json');
    expect(await cluster.ended()).toBe(2);
    expect(cluster.err).toContain('missing.json');
    expect(cluster.err).not.toContain('    at ');
  });
});

describe('holdfast up --data', () => {
  const configMaps = '/api/v1/namespaces/default/configmaps';

  it('has everything again after it was killed, and no revision goes back', async () => {
    const where = folder();
    const first = await up(where, '--empty', '--data', 'data').ready();
    const access = accessFrom(first.kubeconfig());
    const made = await first.http.request('POST', configMaps, {
      body: { metadata: { name: 'kept' }, data: { a: 'b' } },
    });
    expect(made.code).toBe(201);
    expect(await first.stop('SIGKILL')).toBe(null);

    const second = await up(where, '--data', 'data').ready();
    expect(second.out).toContain('the last run did not end cleanly');
    const kept = (await second.http.request('GET', `${configMaps}/kept`)).body;
    expect(kept).toEqual(made.body);
    expect(await items(second, '/api/v1/pods')).toEqual([]);
    const next = (await second.http.request('POST', configMaps, { body: { metadata: { name: 'next' } } })).body;
    expect(Number(next.metadata.resourceVersion)).toBeGreaterThan(Number(kept.metadata.resourceVersion));

    // Who had a certificate from before the restart is still known.
    const before = new KubeHttp({ ...access, server: accessFrom(second.kubeconfig()).server });
    expect((await before.request('GET', `${configMaps}/kept`)).code).toBe(200);
    before.close();
    expect(statSync(join(where, 'data/pki.json')).mode & 0o777).toBe(0o600);
    expect(await second.stop()).toBe(0);
    expect(existsSync(join(where, '.holdfast/kubeconfig'))).toBe(true);
  });

  it('says that its data directory is in use, or not its own to load into', async () => {
    const where = folder();
    const first = await up(where, ...bare, '--data', 'data').ready();
    const second = up(where, '--data', 'data', '--kubeconfig', 'other');
    expect(await second.ended()).toBe(2);
    expect(second.err).toMatch(/^error: .*data is in use by process \d+; stop it first/);
    expect(await first.stop()).toBe(0);

    writeFileSync(join(where, 'objects.yaml'), 'apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n');
    const third = up(where, '--data', 'data', '--load', 'objects.yaml');
    expect(await third.ended()).toBe(2);
    expect(third.err).toContain('data holds a cluster already');
  });

  it('refuses keys that it cannot read, and lets the directory go', async () => {
    const where = folder();
    const first = await up(where, ...bare, '--data', 'data').ready();
    await first.stop();
    writeFileSync(join(where, 'data/pki.json'), '{"caKey":');
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const second = up(where, '--data', 'data');
      expect(await second.ended()).toBe(2);
      expect(second.err).toContain('pki.json cannot be used');
    }
  });
});

describe('holdfast up --load', () => {
  it('goes on with what ran somewhere else', async () => {
    const where = folder();
    const first = await up(where, '--speed', '10').ready();
    const lists = [
      '/api/v1/nodes',
      '/api/v1/namespaces/web/pods',
      '/apis/apps/v1/namespaces/web/replicasets',
      '/apis/apps/v1/namespaces/web/deployments',
      '/apis/policy/v1/namespaces/web/poddisruptionbudgets',
    ];
    const objects: Body[] = [];
    for (const path of lists) {
      const { kind, apiVersion, items } = (await first.http.request('GET', path)).body;
      // Elements of a list do not say their kind, except in what kubectl makes of them.
      for (const item of items) objects.push({ ...item, kind: kind.replace(/List$/, ''), apiVersion });
    }
    await first.stop();
    const strange = { apiVersion: 'example.com/v1', kind: 'Strange', metadata: { name: 's' } };
    const snapshot = { apiVersion: 'v1', kind: 'List', items: [...objects, strange] };
    writeFileSync(join(where, 'snapshot.json'), JSON.stringify(snapshot));

    const second = await up(where, '--load', 'snapshot.json').ready();
    expect(second.out).toContain(`Loaded ${objects.length} objects`);
    expect(second.err).toContain('not loaded: 1 object of kind example.com/v1 Strange, which is not served here');
    expect(second.err).toContain('created 1 namespace: web');
    const pods = await items(second, '/api/v1/pods');
    const before = objects.filter(({ kind }) => kind === 'Pod');
    expect(pods.map(identity)).toEqual(before.map(identity));
    expect(pods.every(isReady)).toBe(true);
    expect(await items(second, '/api/v1/nodes')).toHaveLength(6);

    // Its controllers have taken over.
    const [pod] = pods;
    await second.http.request('DELETE', `/api/v1/namespaces/web/pods/${pod?.metadata.name}`);
    await expect
      .poll(async () => (await items(second, '/api/v1/pods')).filter(isReady).length, { timeout: 30_000 })
      .toBe(3);
  });
});

function identity({ metadata, spec, status }: Body): object {
  const { name, uid, creationTimestamp } = metadata;
  return { name, uid, creationTimestamp, node: spec['nodeName'], began: status['startTime'] };
}
