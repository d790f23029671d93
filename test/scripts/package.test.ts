import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UpProcess } from '../../packages/holdfast/test/cli/up-process.ts';

/** The package as people get it: packed from a checkout, installed without a network, and run. */

const folder = mkdtempSync(join(tmpdir(), 'holdfast-package-'));
const checkout = join(folder, 'checkout');
const installed = join(folder, 'installed');
const bin = join(installed, 'node_modules/.bin');

/** What a checkout has; packing it here leaves the `dist` alone that other tests run. */
const parts = [
  'package.json',
  'package-lock.json',
  'packages',
  'scripts',
  'docs',
  'examples',
  'deploy',
  'test/docs',
].concat(['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE', '.npmrc', '.gitignore']);

/** No settings, no cache and no registry of the machine: a request would fail at once. */
const offline: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  HOME: folder,
  npm_config_cache: join(folder, 'cache'),
  npm_config_registry: 'http://127.0.0.1:9/',
  npm_config_update_notifier: 'false',
};

function run(command: string, args: readonly string[], cwd: string): string {
  const options: ExecFileSyncOptions = { cwd, env: offline, stdio: ['ignore', 'pipe', 'pipe'] };
  return String(execFileSync(command, args, options));
}

function pack(): readonly string[] {
  for (const part of parts) if (existsSync(part)) cpSync(part, join(checkout, part), { recursive: true });
  symlinkSync(resolve('node_modules'), join(checkout, 'node_modules'));
  // What an earlier build, an editor and a demo leave behind.
  mkdirSync(join(checkout, 'dist/chunks'), { recursive: true });
  mkdirSync(join(checkout, 'dist/dashboard/assets'), { recursive: true });
  mkdirSync(join(checkout, '.holdfast'));
  for (const left of [
    'dist/chunks/chunk-OLD.js',
    'dist/dashboard/assets/index-OLD.js',
    'dist/old.js.tmp',
    '.holdfast/kubeconfig',
    '.env',
  ]) {
    writeFileSync(join(checkout, left), '// left over');
  }
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--silent'], checkout)) as readonly {
    readonly files: readonly { readonly path: string }[];
  }[];
  return packed?.files.map(({ path }) => path) ?? [];
}

const wanted: readonly RegExp[] = [
  /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|SECURITY\.md)$/,
  /^dist\/(holdfast|kubectl_complete-holdfast|chunks\/[\w-]+)\.js$/,
  /^dist\/dashboard\/(index\.html|assets\/[\w-]+\.(js|css|svg))$/,
  /^dist\/(THIRD-PARTY-LICENSES\.txt|holdfast\.cdx\.json)$/,
  /^deploy\/(install|crds\/\w+)\.yaml$/,
  /^deploy\/chart\/(Chart\.yaml|values\.yaml|values\.schema\.json|README\.md|\.helmignore)$/,
  /^deploy\/chart\/templates\/([\w-]+\.yaml|NOTES\.txt)$/,
  /^deploy\/kustomize\/(holdfast|kustomization)\.yaml$/,
  /^docs\/[\w/-]+\.(md|svg|png)$/,
  /^examples\/[\w-]+\.yaml$/,
];

describe('the npm package', () => {
  let files: readonly string[] = [];
  beforeAll(() => {
    mkdirSync(checkout);
    mkdirSync(installed);
    files = pack();
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
    run('npm', ['install', '--offline', '--no-save', join(checkout, `holdfast-${version}.tgz`)], installed);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has each kind of file that it should have, and no other file', () => {
    expect(files.filter((file) => !wanted.some((pattern) => pattern.test(file)))).toEqual([]);
    expect(wanted.filter((pattern) => !files.some((file) => pattern.test(file)))).toEqual([]);
  });

  it('has the files of this build alone', () => {
    expect(files).not.toContain('dist/chunks/chunk-OLD.js');
    expect(files).not.toContain('dist/dashboard/assets/index-OLD.js');
    const built = files.filter((file) => file.startsWith('dist/chunks/')).length;
    const chunks = new Set(
      files
        .filter((file) => /^dist\/.*\.js$/.test(file))
        .flatMap((file) => [
          ...readFileSync(join(checkout, file), 'utf8').matchAll(/["']\.\/(?:chunks\/)?([\w-]+\.js)["']/g),
        ])
        .map(([, chunk]) => chunk),
    );
    expect(built).toBe(chunks.size);
  });

  it('needs no other package', () => {
    const listed = JSON.parse(run('npm', ['ls', '--all', '--json'], installed)) as {
      readonly dependencies: Readonly<Record<string, { readonly dependencies?: unknown }>>;
    };
    expect(Object.keys(listed.dependencies)).toEqual(['holdfast']);
    expect(listed.dependencies['holdfast']?.dependencies).toBeUndefined();
  });

  it('may be published', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'node_modules/holdfast/package.json'), 'utf8')) as object;
    expect(manifest).not.toHaveProperty('private');
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).toMatchObject({ name: 'holdfast', license: 'Apache-2.0', engines: { node: expect.any(String) } });
  });

  it('puts the command on the PATH, under both names', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
    expect(run('npx', ['holdfast', '--version'], installed).trim()).toBe(version);
    expect(run(join(bin, 'kubectl-holdfast'), ['--version'], installed).trim()).toBe(version);
    expect(run(join(bin, 'kubectl_complete-holdfast'), ['st'], installed)).toContain('status');
  });

  it('runs without a cluster: lint', () => {
    const demo = join(installed, 'node_modules/holdfast/examples/demo.yaml');
    const wrong = join(folder, 'wrong.yaml');
    writeFileSync(wrong, readFileSync(demo, 'utf8').replace('minAvailable: 2', 'minAvailable: 3'));
    expect(() => run(join(bin, 'holdfast'), ['lint', demo], installed)).not.toThrow();
    expect(() => run(join(bin, 'holdfast'), ['lint', wrong], installed)).toThrow('Command failed');
  });

  it('runs the demo: up', async () => {
    const script = join(installed, 'node_modules/holdfast/dist/holdfast.js');
    const cluster = await new UpProcess(installed, ['--port', '0'], { script }).ready();
    expect(cluster.out).toContain('2/2 groups');
    expect(await cluster.stop()).toBe(0);
  });
});
