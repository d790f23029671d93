import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildProgram } from '../../testbed/src/build.ts';
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
  const version = versionOf('kubernetes');
  const assets = put('assets', 'kube-apiserver', 'anything');
  const cached = put(`cache/kubernetes-${version}`, 'kube-apiserver', 'anything');
  const installed = put('bin', 'kube-apiserver', `Kubernetes ${version}`);
  const older = put('old', 'kube-apiserver', 'Kubernetes v1.20.0');
  const env = { HOLDFAST_TESTBED_CACHE: join(folder, 'cache'), PATH: `${join(folder, 'old')}:${join(folder, 'bin')}` };
  const empty = join(folder, 'nothing');

  it('asks the folder that somebody named first, then the cache, then PATH', () => {
    const named = { ...env, KUBEBUILDER_ASSETS: join(folder, 'assets') };
    expect(findProgram(programs.apiServer, named)).toMatchObject({ path: assets, where: 'KUBEBUILDER_ASSETS' });
    expect(findProgram(programs.apiServer, { ...env, KUBEBUILDER_ASSETS: empty })).toMatchObject({ path: cached });
    expect(findProgram(programs.apiServer, env)).toMatchObject({ path: cached, where: 'cache' });
    const uncached = { ...env, HOLDFAST_TESTBED_CACHE: empty };
    expect(findProgram(programs.apiServer, uncached)).toMatchObject({ path: installed, where: 'PATH' });
  });

  it('passes over an installed one of another version', () => {
    const only = { HOLDFAST_TESTBED_CACHE: empty, PATH: older.replace('/kube-apiserver', '') };
    expect(findProgram(programs.apiServer, only)).toEqual({ kind: 'missing' });
  });

  it('takes what comes with manifests only together with them', () => {
    put('bin', 'lws-manager', `Version: ${versionOf('lws')}`);
    expect(findProgram(programs.lws, { ...env, KUBEBUILDER_ASSETS: join(folder, 'bin') })).toEqual({ kind: 'missing' });
  });

  it('says what is missing where there is no Go to build it', async () => {
    const nowhere = { HOLDFAST_TESTBED_CACHE: empty, PATH: empty };
    await expect(buildProgram(programs.etcd, nowhere, () => undefined)).rejects.toThrow(/etcd v3\.6\.\d+.*Go 1\.26/);
  });
});
