import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ensureBuilt } from '../support/built.ts';

interface Plugin {
  readonly spec: {
    readonly version: string;
    readonly platforms: readonly { readonly uri: string; readonly sha256: string; readonly bin: string }[];
  };
}

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
const archive = `dist/krew/holdfast-${version}.tar.gz`;
const uri = `https://downloads.example/holdfast-${version}.tar.gz`;
const folder = mkdtempSync(join(tmpdir(), 'holdfast-krew-'));
const pluginIn = (path: string) => parse(readFileSync(path, 'utf8')) as Plugin;
const write = () => execFileSync(process.execPath, ['--import', 'tsx', 'scripts/krew/main.ts', uri]);
const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

describe('the krew plugin', () => {
  beforeAll(() => {
    ensureBuilt();
    write();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has a manifest with the address and the hash of the archive', () => {
    const { spec } = pluginIn('dist/krew/holdfast.yaml');
    expect(spec.version).toBe(`v${version}`);
    for (const platform of spec.platforms) expect(platform).toMatchObject({ uri, sha256: hashOf(archive) });
  });

  it('has a template that differs from it in both alone, and says so', () => {
    const template = readFileSync('deploy/krew/holdfast.yaml', 'utf8');
    expect(template).toContain('A template: nothing is published yet');
    const [one, other] = [pluginIn('deploy/krew/holdfast.yaml'), pluginIn('dist/krew/holdfast.yaml')];
    const blank = ({ spec }: Plugin) => ({
      ...spec,
      platforms: spec.platforms.map((platform) => ({ ...platform, uri: '', sha256: '' })),
    });
    expect(blank(one)).toEqual(blank(other));
    expect(one.spec.platforms.every(({ sha256 }) => !/^[0-9a-f]{64}$/.test(sha256))).toBe(true);
  });

  it('is the same archive each time, with the bundle and its licences, and runs as krew links it', () => {
    const before = hashOf(archive);
    write();
    expect(hashOf(archive)).toBe(before);
    execFileSync('tar', ['-xzf', resolve(archive)], { cwd: folder });
    expect(readdirSync(folder).toSorted()).toEqual(['LICENSE', 'dist', 'package.json']);
    expect(readdirSync(join(folder, 'dist')).toSorted()).toEqual(['THIRD-PARTY-LICENSES.txt', 'chunks', 'holdfast.js']);
    const { bin } = pluginIn('dist/krew/holdfast.yaml').spec.platforms[0] ?? { bin: '' };
    symlinkSync(join(folder, bin), join(folder, 'kubectl-holdfast'));
    expect(String(execFileSync(join(folder, 'kubectl-holdfast'), ['--version'])).trim()).toBe(version);
  });
});
