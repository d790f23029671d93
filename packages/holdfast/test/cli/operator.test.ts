import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { builtCommand, ensureBuilt } from '../../../../test/support/built.ts';
import { type TestCluster, testCluster } from '../../../../test/support/cluster.ts';

ensureBuilt();
const children: ChildProcess[] = [];
const folders: string[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

interface Running {
  out: string;
  readonly ended: Promise<number | null>;
  signal(name: NodeJS.Signals): void;
  until(text: string): Promise<void>;
}

function operator(...args: readonly string[]): Running {
  const child = spawn(process.execPath, [builtCommand, 'operator', ...args]);
  children.push(child);
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const running: Running = {
    out: '',
    ended,
    signal: (name) => void child.kill(name),
    async until(text) {
      for (let left = 600; !running.out.includes(text); left -= 1) {
        if (left === 0) throw new Error(`${JSON.stringify(text)} was not said:\n${running.out}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  };
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (running.out += String(chunk)));
  return running;
}

function kubeconfigFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-operator-'));
  folders.push(folder);
  writeFileSync(join(folder, 'config'), text);
  return join(folder, 'config');
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

async function readyAt(port: number): Promise<string> {
  let last = '';
  for (let left = 400; left > 0; left -= 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    last = (await answer?.text()) ?? 'no answer';
    if (answer?.ok) return 'ready';
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return last;
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

async function withNamespace(cluster: TestCluster): Promise<void> {
  await cluster.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'holdfast-system' } } });
}

it('[I13] runs outside of a cluster, registers itself by URL, becomes ready, and stops on SIGTERM with 0', async () => {
  const cluster = await testCluster();
  try {
    await withNamespace(cluster);
    const [webhook, health] = [await freePort(), await freePort()];
    const running = operator(
      ...['--kubeconfig', kubeconfigFile(cluster.kubeconfig), '--log-format', 'text'],
      ...[
        '--webhook-url',
        `https://127.0.0.1:${webhook}`,
        '--webhook-port',
        `${webhook}`,
        '--health-port',
        `${health}`,
      ],
    );
    await running.until('the webhooks are served');
    expect(await readyAt(health)).toBe('ready');
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/holdfast';
    const { body } = await cluster.request('GET', path);
    const webhooks = (body as unknown as { webhooks: { clientConfig: { url: string } }[] }).webhooks;
    expect(new Set(webhooks.map(({ clientConfig }) => new URL(clientConfig.url).port))).toEqual(
      new Set([`${webhook}`]),
    );
    // Paths that only API servers know, from the beginning, and nothing for other machines where the URL is on this one.
    for (const { clientConfig } of webhooks)
      expect(new URL(clientConfig.url).pathname).toMatch(/^\/[0-9a-f]{64}\/\w+$/);
    expect([await accepts('127.0.0.1', webhook), await accepts('127.0.0.2', webhook)]).toEqual([true, false]);
    running.signal('SIGTERM');
    expect(await running.ended).toBe(0);
  } finally {
    await cluster.close();
  }
}, 60_000);

it('stops on SIGTERM, too, while it cannot reach any API server', async () => {
  const cluster = await testCluster();
  const kubeconfig = kubeconfigFile(cluster.kubeconfig);
  await cluster.close();
  const running = operator('--kubeconfig', kubeconfig, '--webhook-port', '0', '--health-port', '0');
  await running.until('the operator starts');
  running.signal('SIGTERM');
  expect(await running.ended).toBe(0);
}, 60_000);

it.each([
  ['a kubeconfig that is not there', ['--kubeconfig', '/does/not/exist'], '/does/not/exist does not exist'],
  ['a webhook URL without TLS', ['--webhook-url', 'http://127.0.0.1:1'], 'must be a URL like https://'],
  ['a mode of takeover that there is not', ['--takeover', 'sometimes'], 'must be "on" or "off"'],
  ['a former mode of takeover', ['--takeover', 'always'], '"always" was replaced by "on"'],
  [
    'an authority of client certificates without names',
    ['--client-ca-file', 'ca.crt'],
    '--client-names need each other',
  ],
  ['a list of users with an empty one', ['--bearer', 'a,,b'], 'must be names, separated by commas'],
  ['a port that cannot be', ['--webhook-port', '70000'], 'must be a whole number from 0 to 65535'],
])('exits with 2 and says what is wrong: %s', async (_title, args, problem) => {
  const running = operator(...args);
  expect(await running.ended).toBe(2);
  expect(running.out).toContain(problem);
});

it('exits with 2 where the folder of certificates has none', async () => {
  const cluster = await testCluster();
  try {
    const kubeconfig = kubeconfigFile(cluster.kubeconfig);
    const running = operator('--kubeconfig', kubeconfig, '--certificates', '/does/not/exist', '--webhook-port', '0');
    expect(await running.ended).toBe(2);
    expect(running.out).toContain('/does/not/exist');
  } finally {
    await cluster.close();
  }
}, 60_000);
