import { describe, expect, it } from 'vitest';
import { type InstallMode, type InstallStep, installSteps } from '../../src/install/apply/steps.ts';
import { manifestsOf } from '../../src/install/manifests/manifests.ts';
import { ownKind } from '../../src/install/manifests/own-kinds.ts';
import { refKey, refOf, refText } from '../../src/install/object-ref.ts';
import { defaultInstallValues } from '../../src/install/values/values.ts';

const whole: InstallMode = { crdsOnly: false, dryRun: false };

function words(steps: readonly InstallStep[]): readonly string[] {
  return steps.map((step) => (step.kind === 'apply' ? (step.manifest.kind ?? '') : `await ${step.what}`));
}

describe('the steps of an installation', () => {
  it('define kinds, run the operator, and only then send requests to it', () => {
    const steps = words(installSteps(defaultInstallValues, whole));
    const at = (word: string) => steps.indexOf(word);
    const order = [
      'Namespace',
      'CustomResourceDefinition',
      'await definitions',
      'ServiceAccount',
      'Deployment',
      'await operator',
      'ValidatingWebhookConfiguration',
      'await trust',
      'DaemonSet',
      'await agents',
    ];
    expect(order.map(at)).toEqual(order.map(at).toSorted((left, right) => left - right));
    expect(order.map(at)).not.toContain(-1);
    expect(steps.at(-1)).toBe('await agents');
  });

  it('apply every manifest once', () => {
    const applied = installSteps(defaultInstallValues, whole).flatMap((step) =>
      step.kind === 'apply' ? [refKey(refOf(step.manifest))] : [],
    );
    expect(applied.toSorted()).toEqual(
      manifestsOf(defaultInstallValues)
        .map((one) => refKey(refOf(one)))
        .toSorted(),
    );
  });

  it('wait for nothing in a dry run', () => {
    const dry = words(installSteps(defaultInstallValues, { crdsOnly: false, dryRun: true }));
    expect(dry.filter((word) => word.startsWith('await'))).toEqual([]);
    expect(dry).toHaveLength(manifestsOf(defaultInstallValues).length);
  });

  it('are about definitions alone where nothing else is wished', () => {
    expect(words(installSteps(defaultInstallValues, { crdsOnly: true, dryRun: false }))).toEqual([
      'CustomResourceDefinition',
      'CustomResourceDefinition',
      'await definitions',
    ]);
  });

  it('know every kind that there is, with either source of certificates', () => {
    for (const source of ['own', 'cert-manager'] as const) {
      for (const manifest of manifestsOf({ ...defaultInstallValues, certificates: { source } })) {
        const { group, version, kind, namespace } = refOf(manifest);
        const apiVersion = group === '' ? version : `${group}/${version}`;
        expect(ownKind(kind)).toMatchObject({ apiVersion, namespaced: namespace !== undefined });
      }
    }
  });
});

it.each([
  ['', 'Namespace', 'namespace/x'],
  ['apps', 'Deployment', 'deployment.apps/x'],
])('an object of group %j and kind %s is called as kubectl does', (group, kind, text) => {
  expect(refText({ group, kind, name: 'x' })).toBe(text);
});
