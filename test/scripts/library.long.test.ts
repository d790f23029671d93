import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { waitUntil } from '../e2e/support/wait.ts';
import { KubeHttp } from '../support/kube-http.ts';

/** The embedded cluster as a package of its own, in a folder that has nothing else of this repository. */

const folder = mkdtempSync(join(tmpdir(), 'holdfast-library-'));
const installed = join(folder, 'node_modules/@holdfast/embedded-cluster');
const processes: ChildProcess[] = [];

beforeAll(() => {
  execFileSync(process.execPath, ['scripts/library.mjs', installed], { stdio: 'ignore' });
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>;
  };
  for (const name of [...Object.keys(dependencies), '@types/node', 'undici-types']) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(resolve('node_modules', name), link);
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
}, 240_000);

afterAll(async () => {
  for (const child of processes) {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGKILL')) await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

function exampleOfReadme(): string {
  return /^```js\n(.*?)^```$/ms.exec(readFileSync(join(installed, 'README.md'), 'utf8'))?.[1] ?? '';
}

it('runs the example of its README: a cluster with three nodes, which a kubeconfig reaches', async () => {
  writeFileSync(join(folder, 'example.js'), exampleOfReadme());
  const child = spawn(process.execPath, ['example.js'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  processes.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  expect(String(line)).toMatch(/^https:\/\/127\.0\.0\.1:\d+: kubectl/);
  const http = clientOf(parse(readFileSync(join(folder, 'kubeconfig'), 'utf8')) as Kubeconfig);
  const nodes = await waitUntil(
    'three nodes are ready',
    () => http.request('GET', '/api/v1/nodes'),
    ({ body }) => namesOf(body).length === 3,
  );
  expect(namesOf(nodes.body)).toEqual(['node-1', 'node-2', 'node-3']);
  http.close();
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
});

it('has types that a strict program can be checked against', () => {
  const program =
    "import { addNodes, type Cluster, startCluster } from '@holdfast/embedded-cluster';\n" +
    "import { VirtualClock } from '@holdfast/embedded-cluster/time';\n" +
    "import { type KubeObject, splitApiVersion } from '@holdfast/embedded-cluster/objects';\n" +
    'export const cluster: Promise<Cluster> = startCluster({ prepare: (plane) => addNodes(plane, 1) });\n' +
    'export const group = (object: KubeObject): string => splitApiVersion(object.apiVersion).group;\n' +
    'export const clock = new VirtualClock(0);\n';
  writeFileSync(join(folder, 'program.ts'), program);
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--types',
    'node',
    'program.ts',
  ];
  execFileSync(process.execPath, [resolve('node_modules/typescript7/bin/tsc'), ...options], {
    cwd: folder,
    stdio: 'inherit',
  });
  expect(existsSync(join(installed, 'types/embedded-cluster/src/index.d.ts'))).toBe(true);
});

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string } },
  ];
  readonly users: readonly [
    { readonly user: { readonly 'client-certificate-data': string; readonly 'client-key-data': string } },
  ];
}

function clientOf({ clusters: [{ cluster }], users: [{ user }] }: Kubeconfig): KubeHttp {
  const bytes = (text: string) => Buffer.from(text, 'base64');
  return new KubeHttp({
    server: cluster.server,
    ca: bytes(cluster['certificate-authority-data']),
    certificate: bytes(user['client-certificate-data']),
    key: bytes(user['client-key-data']),
  });
}

function namesOf(body: unknown): readonly string[] {
  const { items = [] } = body as { readonly items?: readonly { readonly metadata: { readonly name: string } }[] };
  return items.map(({ metadata }) => metadata.name);
}
