import { describe, expect, it } from 'vitest';
import type { Namespace } from '../../../../base/src/meta.ts';
import type { InstallationMode } from '../../../src/api/installation-names.ts';
import { label } from '../../../src/api/names.ts';
import { answeredPaths, webhookConfigurations } from '../../../src/install/manifests/webhooks.ts';
import { defaultInstallValues } from '../../../src/install/values/values.ts';
import { projectConfiguration } from '../../../src/observe/foreign-webhooks/webhook-view.ts';
import { guardFor } from '../../../src/observe/guard/guard-of.ts';
import { podWebhooksOf } from '../../../src/observe/guard/registration.ts';

/** As an installation registers it, with whom to trust filled in; without the webhooks whose names a test leaves out. */
function installed(mode: InstallationMode, without = /^$/) {
  const [validating] = webhookConfigurations({ ...defaultInstallValues, mode }, answeredPaths);
  const webhooks = (validating?.webhooks ?? [])
    .filter(({ name }) => !without.test(name))
    .map((one) => ({ ...one, clientConfig: { ...one.clientConfig, caBundle: 'eA==' } }));
  return podWebhooksOf(projectConfiguration(JSON.parse(JSON.stringify({ ...validating, webhooks }))));
}

function labelled(value?: string): Namespace {
  return { metadata: { name: 'shop', labels: value === undefined ? {} : { [label.guard]: value } } };
}

const guardIn = (namespace: Namespace, webhooks = installed('enforce')) =>
  guardFor(namespace, 'holdfast-system', webhooks);

describe('[E1] the guard of a namespace', () => {
  it.each([
    ['enabled', 'enforce', 'on'],
    ['observe', 'enforce', 'observed'],
    ['enabled', 'observe', 'observed'],
    ['observe', 'observe', 'observed'],
    ['disabled', 'enforce', 'off'],
    ['disabled', 'observe', 'off'],
    [undefined, 'observe', 'off'],
    ['Observe', 'enforce', 'off'],
  ] as const)('with the label %s in an installation that is to %s is %s', (value, mode, kind) => {
    expect(guardIn(labelled(value), installed(mode)).kind).toBe(kind);
  });

  it('says how to enforce, where it is observed', () => {
    expect(guardIn(labelled('observe'))).toMatchObject({ message: expect.stringContaining('guard=enabled') });
    expect(guardIn(labelled('enabled'), installed('observe'))).toMatchObject({
      message: expect.stringContaining('mode: enforce'),
    });
  });

  it('is off where no webhook observes', () => {
    const guard = guardIn(labelled('observe'), installed('enforce', /\.observe\./));
    expect(guard).toMatchObject({
      kind: 'off',
      message: expect.stringContaining('no webhook that observes evictions'),
    });
  });

  it('is off, and not observed, where the webhooks that enforce are missing in part', () => {
    expect(guardIn(labelled('enabled'), installed('enforce', /^deletion\.holdfast/)).kind).toBe('off');
  });

  it('is never on in the namespace of the operator', () => {
    const own: Namespace = { metadata: { name: 'holdfast-system', labels: { [label.guard]: 'observe' } } };
    expect(guardIn(own).kind).toBe('off');
  });
});

describe('[E1] an installation', () => {
  it('observes only where no webhook for evictions enforces', () => {
    expect(installed('observe').installation).toBe('observe');
    expect(installed('enforce').installation).toBe('enforce');
    expect(podWebhooksOf(undefined).installation).toBe('enforce');
    // What remains here observes, and not the namespaces that are to be enforced.
    expect(installed('enforce', /^eviction\.holdfast/).installation).toBe('enforce');
  });
});
