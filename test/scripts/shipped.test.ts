import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../support/built.ts';

/** What is given to others, and what it says of itself. */

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses: readonly { readonly license: { readonly id: string } }[];
}

/** The packages whose sources are in the bundle, by its source maps: they are made by another part of the bundler than our list. */
function packagesInBundle(): readonly string[] {
  const folders = ['dist', 'dist/chunks', 'dist/dashboard/assets'];
  const loaded = new Set(reachable());
  const maps = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.js.map') && loaded.has(file.replace(/\.map$/, '')))
      .map((file) => join(folder, file)),
  );
  const names = maps.flatMap((map) => {
    const { sources } = JSON.parse(readFileSync(map, 'utf8')) as { sources: readonly string[] };
    return sources.flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []);
  });
  return [...new Set(names)].toSorted();
}

/** Chunks of earlier builds lie around for an hour; these are of this one. */
function reachable(): readonly string[] {
  const seen = new Set<string>();
  const waiting = ['dist/holdfast.js', 'dist/kubectl_complete-holdfast.js', 'dist/dashboard/index.html'];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const name = file.split('/').at(-1) ?? '';
    if (seen.has(name)) continue;
    seen.add(name);
    const text = readFileSync(file, 'utf8');
    for (const [, chunk] of text.matchAll(/["']\.\/(?:chunks\/|assets\/)?([\w.-]+\.js)["']/g)) {
      const places = ['dist/chunks', 'dist/dashboard/assets'].map((folder) => `${folder}/${chunk}`);
      waiting.push(...places.filter((place) => existsSync(place)));
    }
  }
  return [...seen];
}

describe('what a build ships', () => {
  let packages: readonly string[] = [];
  beforeAll(() => {
    ensureBuilt();
    packages = packagesInBundle();
  });

  it('has the text of the licence of every package that is bundled', () => {
    expect(packages).toEqual(expect.arrayContaining(['commander', 'preact', 'prom-client', 'ws', 'yaml']));
    const shipped = readFileSync('dist/THIRD-PARTY-LICENSES.txt', 'utf8');
    for (const name of packages) {
      const folder = `node_modules/${name}`;
      const [file] = readdirSync(folder).filter((one) => /^licen[cs]e/i.test(one));
      expect(shipped, name).toContain(readFileSync(join(folder, file ?? ''), 'utf8').trim());
    }
  });

  it('has a bill of materials with every package that is bundled and no other, each with its digest and licence', () => {
    const bill = JSON.parse(readFileSync('dist/holdfast.cdx.json', 'utf8')) as {
      readonly bomFormat: string;
      readonly specVersion: string;
      readonly components: readonly Component[];
      readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
    };
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
    expect(bill.components.map(({ name }) => name)).toEqual(packages);
    for (const { name, version, purl, hashes, licenses } of bill.components) {
      const installed = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')) as {
        version: string;
        license: string;
      };
      expect([version, licenses[0]?.license.id]).toEqual([installed.version, installed.license]);
      expect(purl).toBe(`pkg:npm/${name.replace('@', '%40')}@${version}`);
      expect(hashes).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }]);
    }
    const known = new Set(bill.dependencies.map(({ ref }) => ref));
    for (const { dependsOn } of bill.dependencies) for (const ref of dependsOn) expect(known).toContain(ref);
  });

  it('makes the same of the same sources', () => {
    const before = readFileSync('dist/holdfast.cdx.json', 'utf8');
    execFileSync(process.execPath, ['scripts/build.mjs']);
    expect(readFileSync('dist/holdfast.cdx.json', 'utf8')).toBe(before);
  });
});

describe('the image', () => {
  const dockerfile = readFileSync('deploy/Dockerfile', 'utf8');
  const final = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));

  it('names no base image itself, so that none is used without a digest', () => {
    expect(
      [...dockerfile.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(([, image]) => image?.replace(/[${}]/g, '')),
    ).toEqual(['BUILD_IMAGE', 'RUNTIME_IMAGE']);
    expect(dockerfile).not.toMatch(/^ARG \w+=/m);
  });

  it('runs as a number that is not 0, without a shell, and has the licences', () => {
    expect(final).toMatch(/^USER 65532:65532$/m);
    expect(final).toMatch(/^ENTRYPOINT \["\/nodejs\/bin\/node", /m);
    expect(final).not.toMatch(/^RUN /m);
    expect(final).toContain('THIRD-PARTY-LICENSES.txt');
    expect(final).toContain('holdfast.cdx.json');
  });

  const image = (...args: readonly string[]) =>
    spawnSync(process.execPath, ['scripts/image/docker.mjs', ...args, '--print'], { encoding: 'utf8' });
  const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
  const bases = ['--build-image', `node@${digest}`, '--runtime-image', `base@${digest}`];

  it('is built for two architectures', () => {
    const { status, stdout } = image('holdfast:1', ...bases, '--push');
    expect(status).toBe(0);
    expect(stdout).toContain('--platform linux/amd64,linux/arm64');
    expect(stdout).toContain(`--build-arg RUNTIME_IMAGE=base@${digest}`);
    expect(stdout).toContain('--push');
  });

  it.each([
    ['without a name', bases, 'name the image first'],
    ['without base images', ['holdfast:1'], '--build-image is missing'],
    ['from a tag', ['holdfast:1', ...bases.slice(0, 3), 'base:24'], '--runtime-image must be named by digest'],
  ])('is not built %s', (_, args, problem) => {
    const { status, stderr } = image(...args);
    expect(status).toBe(2);
    expect(stderr).toContain(problem);
  });
});
