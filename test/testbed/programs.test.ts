import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildProgram, ensurePrograms } from '../../testbed/src/build.ts';
import { cacheRoot } from '../../testbed/src/cache.ts';
import { findProgram } from '../../testbed/src/find.ts';
import { requiredVersion, versionOf } from '../../testbed/src/modules.ts';
import { linkerFlags, printsVersion, programs } from '../../testbed/src/programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-programs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A program that says of itself what real ones do. */
function put(where: string, name: string, says: string): string {
  mkdirSync(join(folder, where), { recursive: true });
  const path = join(folder, where, name);
  writeFileSync(path, `#!/bin/sh\necho '${says}'\n`);
  chmodSync(path, 0o755);
  return path;
}

describe('the version that a program says it has', () => {
  it.each([
    { output: 'Kubernetes v1.37.1', is: true },
    { output: 'etcd Version: 1.37.1\nGit SHA: 0', is: true },
    { output: 'kwok version 1.37.1 (go1.26.0, linux/amd64)', is: true },
    { output: 'Client Version: v1.37.1', is: true },
    { output: 'Kubernetes v1.37.10', is: false },
    { output: 'Kubernetes v1.37.1-rc.1', is: false },
    { output: 'Kubernetes v1.37.1+k3s1', is: false },
    { output: 'Kubernetes v11.37.1', is: false },
    { output: 'Kubernetes v1.36.1', is: false },
  ])('$output: $is', ({ output, is }) => {
    expect(printsVersion(output, 'v1.37.1')).toBe(is);
  });

  it('is written into it when it is built', () => {
    expect(linkerFlags('kubernetes', 'v1.37.1').split(' -X ')).toEqual([
      '-s -w',
      'k8s.io/component-base/version.gitVersion=v1.37.1',
      'k8s.io/component-base/version.gitMajor=1',
      'k8s.io/component-base/version.gitMinor=37',
    ]);
  });

  it('is the one that go.mod requires, wherever it stands there', () => {
    expect(requiredVersion('module x\n\nrequire a.b/c v1.2.3\n', 'a.b/c')).toBe('v1.2.3');
    expect(requiredVersion('require (\n\ta.b/cc v9.0.0\n\ta.b/c v1.2.3 // indirect\n)\n', 'a.b/c')).toBe('v1.2.3');
    expect(() => requiredVersion('require a.b/cc v9.0.0\n', 'a.b/c')).toThrow('a.b/c');
  });
});

describe('where programs are kept', () => {
  it.each([
    { env: {}, root: '/home/x/.cache/holdfast/testbed' },
    { env: { XDG_CACHE_HOME: '/c' }, root: '/c/holdfast/testbed' },
    { env: { XDG_CACHE_HOME: '/c', HOLDFAST_TESTBED_CACHE: '/mine' }, root: '/mine' },
    { env: { XDG_CACHE_HOME: '', HOLDFAST_TESTBED_CACHE: '' }, root: '/home/x/.cache/holdfast/testbed' },
  ])('$root', ({ env, root }) => {
    expect(cacheRoot(env, '/home/x')).toBe(root);
  });
});

describe('finding a program', () => {
  const version = versionOf('kubernetes', {});
  const assets = put('assets', 'kube-apiserver', 'anything');
  const cached = put(`cache/kubernetes-${version}`, 'kube-apiserver', 'anything');
  const installed = put('bin', 'kube-apiserver', `Kubernetes ${version}`);
  const older = put('old', 'kube-apiserver', 'Kubernetes v1.20.0');
  const env = { HOLDFAST_TESTBED_CACHE: join(folder, 'cache'), PATH: `${join(folder, 'old')}:${join(folder, 'bin')}` };
  const empty = join(folder, 'nothing');

  it('asks the folder that the user named first, then PATH, then the cache', () => {
    const named = { ...env, KUBEBUILDER_ASSETS: join(folder, 'assets') };
    expect(findProgram(programs.apiServer, named)).toMatchObject({ path: assets, where: 'KUBEBUILDER_ASSETS' });
    expect(findProgram(programs.apiServer, { ...env, KUBEBUILDER_ASSETS: empty })).toMatchObject({ path: installed });
    expect(findProgram(programs.apiServer, env)).toMatchObject({ path: installed, where: 'PATH' });
    const uninstalled = { ...env, PATH: join(folder, 'old') };
    expect(findProgram(programs.apiServer, uninstalled)).toMatchObject({ path: cached, where: 'cache' });
  });

  it('looks for the chosen version of Kubernetes, and for no other program in another version', () => {
    const chosen = { ...env, K8S_VERSION: '1.36.4' };
    expect(findProgram(programs.apiServer, chosen)).toEqual({ kind: 'missing' });
    const path = put('cache/kubernetes-v1.36.4', 'kube-apiserver', 'anything');
    expect(findProgram(programs.apiServer, chosen)).toEqual({ kind: 'found', path, where: 'cache' });
    expect(versionOf('e2e', chosen)).toBe('v1.36.4');
    expect(versionOf('etcd', chosen)).toBe(versionOf('etcd', {}));
  });

  it('passes over an installed one of another version', () => {
    const only = { HOLDFAST_TESTBED_CACHE: empty, PATH: older.replace('/kube-apiserver', '') };
    expect(findProgram(programs.apiServer, only)).toEqual({ kind: 'missing' });
  });

  it('takes what comes with manifests only together with them', () => {
    put('bin', 'lws-manager', `Version: ${versionOf('lws', {})}`);
    expect(findProgram(programs.lws, { ...env, KUBEBUILDER_ASSETS: join(folder, 'bin') })).toEqual({ kind: 'missing' });
  });

  it.each([{ CI: 'true' }, {}])('fails and says what is missing where there is no Go to build it: %j', async (ci) => {
    const nowhere = { ...ci, HOLDFAST_TESTBED_CACHE: empty, PATH: empty };
    await expect(buildProgram(programs.etcd, { env: nowhere, say: () => undefined })).rejects.toThrow(
      /etcd v3\.6\.\d+.*Go 1\.26/,
    );
  });

  it('fails and leaves nothing in the cache when the build fails', async () => {
    put('go', 'go', 'no');
    writeFileSync(join(folder, 'go', 'go'), '#!/bin/sh\nexit 1\n');
    const broken = { HOLDFAST_TESTBED_CACHE: join(folder, 'failed'), PATH: `${join(folder, 'go')}:/bin:/usr/bin` };
    const said: string[] = [];
    const building = buildProgram(programs.kwok, { env: broken, say: (line) => said.push(line) });
    await expect(building).rejects.toThrow('go build of kwok ended with 1');
    expect(said).toEqual([`building kwok ${versionOf('kwok', {})}`]);
    expect(findProgram(programs.kwok, { ...broken, PATH: '' })).toEqual({ kind: 'missing' });
  });

  it('ends a build that no caller waits for any more', async () => {
    put('slow', 'go', 'no');
    writeFileSync(join(folder, 'slow', 'go'), '#!/bin/sh\nexec sleep 600\n');
    const env = { HOLDFAST_TESTBED_CACHE: join(folder, 'ended'), PATH: `${join(folder, 'slow')}:/bin:/usr/bin` };
    const end = new AbortController();
    const building = ensurePrograms(['kwok'], { env, say: () => end.abort(), signal: end.signal });
    await expect(building).rejects.toThrow(/abort/i);
  });
});
