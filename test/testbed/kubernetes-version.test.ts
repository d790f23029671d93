import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chosenKubernetes, goModFor, workloadFlags } from '../../testbed/src/kubernetes-version.ts';
import { folderOf, pinnedVersion } from '../../testbed/src/modules.ts';

describe('the chosen version of Kubernetes', () => {
  it.each([
    { chosen: undefined, want: undefined },
    { chosen: '', want: undefined },
    { chosen: 'v1.36.4', want: 'v1.36.4' },
    { chosen: '1.36.4', want: 'v1.36.4' },
  ])('$chosen: $want', ({ chosen, want }) => {
    expect(chosenKubernetes({ K8S_VERSION: chosen })).toBe(want);
  });

  it.each(['1.36', 'latest', 'v2.0.0', 'v1.36.4-rc.1', 'v1.20.0'])('%s is refused, with the reason', (chosen) => {
    expect(() => chosenKubernetes({ K8S_VERSION: chosen })).toThrow(`K8S_VERSION is "${chosen}"`);
  });
});

it.each([
  { version: 'v1.34.1', apis: [] },
  { version: 'v1.35.2', apis: ['v1alpha1'] },
  { version: 'v1.36.4', apis: ['v1alpha2'] },
  { version: 'v1.37.1', apis: ['v1beta1', 'v1alpha3'] },
  { version: 'v1.38.0', apis: ['v1beta1'] },
])('$version is told to serve the Workload API in $apis', ({ version, apis }) => {
  const served = apis.map((api) => `scheduling.k8s.io/${api}=true`).join(',');
  const flags = served === '' ? [] : [`--runtime-config=${served}`, '--feature-gates=GenericWorkload=true'];
  expect(workloadFlags(version)).toEqual(flags);
});

describe('a go.mod for another version', () => {
  it('requires that one, replaces what Kubernetes develops itself, and leaves the rest to be found', () => {
    const goMod = [
      'module m',
      '',
      'require k8s.io/kubernetes v1.37.1',
      '',
      'require (',
      '\tk8s.io/api v0.37.1 // indirect',
      ')',
      '',
      'replace k8s.io/api => k8s.io/api v0.37.1',
      '',
      'replace a.b/c => a.b/c v0.1.0',
      '',
    ].join('\n');
    expect(
      goModFor(goMod, 'v1.37.1', 'v1.36.4')
        .split('\n')
        .filter((line) => line !== ''),
    ).toEqual([
      'module m',
      'require k8s.io/kubernetes v1.36.4',
      'replace k8s.io/api => k8s.io/api v0.36.4',
      'replace a.b/c => a.b/c v0.1.0',
    ]);
  });

  it.each(['kubernetes', 'e2e'] as const)('of %s says nothing of the version that it is derived from', (module) => {
    const pinned = pinnedVersion(module);
    const derived = goModFor(readFileSync(`${folderOf(module)}/go.mod`, 'utf8'), pinned, 'v1.36.4');
    expect(derived).toContain('replace k8s.io/client-go => k8s.io/client-go v0.36.4');
    expect(derived).not.toContain(pinned.slice(2));
  });
});
