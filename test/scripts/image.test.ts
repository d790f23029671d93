import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** The image that `npm run image` makes. */

interface Described {
  readonly digest: string;
  readonly mediaType: string;
}

const node = JSON.parse(readFileSync('scripts/image/node.json', 'utf8')) as { version: string };
const libraries = JSON.parse(readFileSync('scripts/image/libraries.json', 'utf8')) as Readonly<
  Record<string, { readonly packages: readonly { readonly sha256: string }[] } | undefined>
>;

/** Tests download nothing: what the image is made of must be here already. Undefined: it is. */
function missingPart(): string | undefined {
  const { packages } = libraries[process.arch] ?? {};
  if (process.platform !== 'linux' || packages === undefined)
    return `scripts/image/libraries.json has none for ${process.arch}`;
  const cache = 'node_modules/.cache/holdfast';
  const files = packages.map(({ sha256 }) => `${cache}/packages/${sha256}.deb`);
  const lacking = [`${cache}/node-linux-${process.arch}-${node.version}`, ...files].find((one) => !existsSync(one));
  return lacking === undefined ? undefined : `${lacking} is not here; npm run image downloads it`;
}

function tell(reason: string | undefined, what: string): boolean {
  if (reason !== undefined) process.stderr.write(`${what}: ${reason}\n`);
  return reason !== undefined;
}

const folder = mkdtempSync(join(tmpdir(), 'holdfast-image-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function build(name: string): string {
  execFileSync(process.execPath, ['scripts/image/main.mjs', join(folder, name)], { stdio: 'pipe' });
  return join(folder, name);
}

const read = <T>(image: string, path: string) => JSON.parse(readFileSync(join(image, 'oci', path), 'utf8')) as T;
const blobOf = ({ digest }: Described) => `blobs/${digest.replace(':', '/')}`;

describe('what the image runs', () => {
  it('is the same Node in the image that is made here and in the one that docker makes', () => {
    const [major] = node.version.split('.');
    const dockerfile = readFileSync('deploy/Dockerfile', 'utf8');
    expect(dockerfile).toContain(`node:${major}-`);
    expect(dockerfile).toContain(`nodejs${major}-`);
    const named = [...dockerfile.matchAll(/node(?:js)?:?(\d+)-/g)].map(([, version]) => version);
    expect(new Set(named)).toEqual(new Set([major]));
    expect(readFileSync('docs/guides/install.md', 'utf8')).toContain(`Node ${major} `);
  });
});

describe.skipIf(tell(missingPart(), 'the image is not tested'))('the image', () => {
  let image = '';
  let manifest: { readonly config: Described; readonly layers: readonly Described[] };

  beforeAll(() => {
    image = build('first');
    const [described] = read<{ manifests: Described[] }>(image, 'index.json').manifests;
    if (described === undefined) throw new Error('the index names no image');
    manifest = read(image, blobOf(described));
  }, 120_000);

  it('is made of the same bytes every time', () => {
    const again = build('second');
    const digest = (one: string) => read<{ manifests: Described[] }>(one, 'index.json').manifests[0]?.digest;
    expect(digest(again)).toBe(digest(image));
    const archive = (one: string) =>
      readFileSync(join(one, readdirSync(one).find((file) => file.endsWith('.tar')) ?? ''));
    expect(archive(again).equals(archive(image))).toBe(true);
  }, 120_000);

  it('has nothing but Node, its libraries and ours: no shell, no package manager, nothing that runs as another user', () => {
    const listed = manifest.layers.flatMap((layer) => {
      const args = ['--numeric-owner', '-tvf', join(image, 'oci', blobOf(layer))];
      return execFileSync('tar', args, { encoding: 'utf8' }).trim().split('\n');
    });
    const files = listed.filter((line) => line.startsWith('-'));
    const programs = files.filter((line) => line.slice(0, 10).includes('x')).map((line) => line.split(' ').at(-1));
    expect(programs).toEqual(['lib64/ld-linux-x86-64.so.2', 'nodejs/bin/node']);
    for (const line of listed) {
      expect(line.slice(0, 10)).not.toMatch(/[sStT]/);
      expect(line).toMatch(/^\S+ 0\/0 /);
    }
  });

  it('runs as a number that is not 0, with an absolute entry point', () => {
    const { config } = read<{ config: object }>(image, blobOf(manifest.config));
    expect(config).toMatchObject({
      User: '65532:65532',
      Entrypoint: ['/nodejs/bin/node', '/app/dist/holdfast.js'],
      Cmd: ['operator'],
    });
  });

  const noRoot = process.getuid?.() === 0 ? undefined : 'only root may change the root of a process';
  it.skipIf(tell(noRoot, 'the image is not run'))('runs, with nothing of this machine', () => {
    const root = join(folder, 'root');
    mkdirSync(root);
    for (const layer of manifest.layers) execFileSync('tar', ['-xf', join(image, 'oci', blobOf(layer)), '-C', root]);
    const run = (...args: readonly string[]) => {
      const command = ['--userspec=65532:65532', root, '/nodejs/bin/node', '/app/dist/holdfast.js', ...args];
      // Whatever user it is: the folder is root's, and nothing in it can be written.
      return spawnSync('chroot', command, { encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '' } });
    };
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(run('--version')).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
    const help = run('operator', '--help');
    expect(help).toMatchObject({ status: 0, stderr: '' });
    expect(help.stdout).toContain('--webhook-url');
  });
});
