import { describe, expect, it } from 'vitest';
import { type FoundDefinition, foreignSign, installedIn } from '../../src/install/apply/foreign.ts';

describe('a definition that is there', () => {
  it.each<readonly [string, FoundDefinition, string | undefined]>([
    ['by our own installer', { metadata: { managedFields: [{ manager: 'holdfast-install' }] } }, undefined],
    ['by kubectl', { metadata: { managedFields: [{ manager: 'kubectl-client-side-apply' }] } }, undefined],
    ['by a chart of a platform', { metadata: { annotations: { 'meta.helm.sh/release-name': 'base' } } }, undefined],
    ['without conversion', { spec: { conversion: { strategy: 'None' } } }, undefined],
    ['with labels of a tool', { metadata: { labels: { 'app.kubernetes.io/instance': 'platform' } } }, undefined],
    [
      'by a generator',
      { metadata: { annotations: { 'controller-gen.kubebuilder.io/version': 'v0.16.5' } } },
      'controller-gen v0.16.5',
    ],
    ['by the chart of Kruise', { metadata: { annotations: { 'meta.helm.sh/release-name': 'kruise' } } }, 'kruise'],
    ['written by Kruise', { metadata: { managedFields: [{ manager: 'kruise-manager' }] } }, 'kruise-manager'],
    ['labelled by Kruise', { metadata: { labels: { 'app.kubernetes.io/name': 'openkruise' } } }, 'openkruise'],
    ['with a conversion webhook', { spec: { conversion: { strategy: 'Webhook' } } }, 'webhook of its own'],
  ])('%s', (_, definition, sign) => {
    const found = foreignSign(definition);
    if (sign === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(sign);
  });
});

it('an installation is where its binding says', () => {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'holdfast' };
  const subject = { kind: 'ServiceAccount', name: 'holdfast', namespace: 'elsewhere' };
  expect(installedIn(undefined)).toBeUndefined();
  expect(installedIn({ roleRef })).toBeUndefined();
  expect(installedIn({ roleRef, subjects: [{ kind: 'User', name: 'holdfast' }, subject] })).toBe('elsewhere');
});
