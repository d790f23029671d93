import { expect, it } from 'vitest';
import { adminUser } from '../../src/auth/kubeconfig.ts';
import { applyObject } from '../../src/load/apply-object.ts';
import type { KubeObject } from '../../src/objects.ts';
import { anEmptyPlane } from './a-plane.ts';

const namespace: KubeObject = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'shop', labels: { b: '2', a: '1' } },
};

it('creates an object with the note that kubectl leaves', async () => {
  const plane = anEmptyPlane();
  expect(await applyObject(plane, adminUser, namespace)).toBe('created');
  const { metadata } = plane.view.get('namespaces', '', 'shop') as KubeObject;
  expect(metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration']).toBe(
    '{"apiVersion":"v1","kind":"Namespace","metadata":{"annotations":{},"labels":{"a":"1","b":"2"},"name":"shop"}}\n',
  );
  expect(metadata.managedFields?.map(({ manager }) => manager)).toEqual(['kubectl-client-side-apply']);
});

it('leaves an object alone that is there', async () => {
  const plane = anEmptyPlane();
  await applyObject(plane, adminUser, namespace);
  expect(await applyObject(plane, adminUser, { ...namespace, metadata: { name: 'shop' } })).toBe('exists');
  expect(plane.view.get('namespaces', '', 'shop')?.metadata.labels).toMatchObject({ a: '1' });
});

it('throws what the API refuses', async () => {
  const plane = anEmptyPlane();
  await expect(applyObject(plane, adminUser, { ...namespace, sepc: {} })).rejects.toThrow('unknown field "sepc"');
  await expect(applyObject(plane, adminUser, { ...namespace, kind: 'Nmaespace' })).rejects.toThrow();
});
