import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startNamespaceController } from '../../../src/controllers/namespace/namespace-controller.ts';
import { startRootCaController } from '../../../src/controllers/serviceaccount/root-ca-controller.ts';
import { startServiceAccountController } from '../../../src/controllers/serviceaccount/service-account-controller.ts';
import { TestPlane } from '../test-plane.ts';

let plane: TestPlane;

beforeEach(async () => {
  plane = new TestPlane();
  await plane.namespace('before');
  plane
    .start((context) => startServiceAccountController(context))
    .start((context) => startRootCaController(context, { caCertificate: 'PEM' }))
    .start((context, { types, registry }) => startNamespaceController(context, { types, store: registry.store }));
  await plane.quiet();
});

afterEach(() => {
  plane.stop();
  expect(plane.errors).toEqual([]);
});

const kept = [
  { resource: 'serviceaccounts', name: 'default' },
  { resource: 'configmaps', name: 'kube-root-ca.crt' },
];

describe.each(kept)('$name of $resource', ({ resource, name }) => {
  it('is in namespaces that were there before', () => {
    expect(plane.find(resource, 'before', name)).toBeDefined();
  });

  it('comes with a new namespace', async () => {
    await plane.namespace('later');
    await plane.quiet();
    expect(plane.find(resource, 'later', name)).toBeDefined();
  });

  it('comes back when it is deleted', async () => {
    const { uid } = plane.get(resource, 'before', name).metadata;
    await plane.client.delete(resource, 'before', name);
    await plane.quiet();
    expect(plane.get(resource, 'before', name).metadata.uid).not.toBe(uid);
  });

  it('does not hold up the deletion of its namespace', async () => {
    await plane.client.delete('namespaces', '', 'before');
    await plane.quiet();
    expect(plane.find('namespaces', '', 'before')).toBeUndefined();
    expect(plane.find(resource, 'before', name)).toBeUndefined();
  });
});

it('the certificate is put right where a client changed it', async () => {
  await plane.client.modify('configmaps', 'before', 'kube-root-ca.crt', (draft) => ({
    ...draft,
    data: { 'ca.crt': 'X' },
  }));
  await plane.quiet();
  expect(plane.get('configmaps', 'before', 'kube-root-ca.crt')['data']).toEqual({ 'ca.crt': 'PEM' });
});
