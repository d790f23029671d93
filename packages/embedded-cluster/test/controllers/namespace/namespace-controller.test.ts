import type { NamespaceStatus } from 'kubernetes-types/core/v1.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startNamespaceController } from '../../../src/controllers/namespace/namespace-controller.ts';
import type { KubeObject } from '../../../src/objects.ts';
import { TestPlane } from '../test-plane.ts';

let plane: TestPlane;

beforeEach(async () => {
  plane = new TestPlane();
  plane.start((context, { types, registry }) => startNamespaceController(context, { types, store: registry.store }));
  await plane.namespace('team');
  await plane.namespace('other');
});

afterEach(() => {
  plane.stop();
  expect(plane.errors).toEqual([]);
});

function conditions(): Record<string, string> {
  const { status } = plane.get<KubeObject & { status: NamespaceStatus }>('namespaces', '', 'team');
  const entries = (status.conditions ?? []).map(({ type, status: is, reason, message }) => [
    type,
    `${is} ${reason}: ${message}`,
  ]);
  return Object.fromEntries(entries);
}

describe('a namespace that is deleted', () => {
  it('is terminating at once, and refuses new contents', async () => {
    await plane.client.delete('namespaces', '', 'team');
    const namespace = plane.get('namespaces', '', 'team');
    expect(namespace.metadata.deletionTimestamp).toBe('2026-01-01T00:00:00Z');
    expect(namespace['status']).toMatchObject({ phase: 'Terminating' });
    await expect(plane.configMap('team', 'late')).rejects.toMatchObject({ status: { code: 403 } });
  });

  it('is gone when nothing is in it', async () => {
    await plane.client.delete('namespaces', '', 'team');
    await plane.quiet();
    expect(plane.find('namespaces', '', 'team')).toBeUndefined();
  });

  it('takes its contents with it, and nothing else', async () => {
    await plane.configMap('team', 'mine');
    await plane.configMap('other', 'theirs');
    await plane.serviceAccount('team', 'robot');
    await plane.client.delete('namespaces', '', 'team');
    await plane.quiet();
    expect(plane.find('configmaps', 'team', 'mine')).toBeUndefined();
    expect(plane.find('serviceaccounts', 'team', 'robot')).toBeUndefined();
    expect(plane.find('configmaps', 'other', 'theirs')).toBeDefined();
    expect(plane.find('namespaces', '', 'team')).toBeUndefined();
  });

  it('says what holds it, and goes when that lets go', async () => {
    await plane.configMap('team', 'held', { finalizers: ['example.com/wait'] });
    await plane.client.delete('namespaces', '', 'team');
    await plane.quiet();
    expect(conditions()).toEqual({
      NamespaceDeletionDiscoveryFailure: 'False ResourcesDiscovered: All resources successfully discovered',
      NamespaceDeletionGroupVersionParsingFailure:
        'False ParsedGroupVersions: All legacy kube types successfully parsed',
      NamespaceDeletionContentFailure:
        'False ContentDeleted: All content successfully deleted, may be waiting on finalization',
      NamespaceContentRemaining:
        'True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances',
      NamespaceFinalizersRemaining:
        'True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/wait in 1 resource instances',
    });
    await plane.release('configmaps', 'team', 'held');
    await plane.quiet();
    expect(plane.find('namespaces', '', 'team')).toBeUndefined();
  });

  it('lets pods end before the rest goes', async () => {
    await plane.configMap('team', 'needed');
    await plane.pod('team', 'worker', { finalizers: ['example.com/wait'] });
    await plane.client.delete('namespaces', '', 'team');
    await plane.quiet();
    expect(conditions()['NamespaceContentRemaining']).toContain('pods. has 1 resource instances');
    expect(plane.find('configmaps', 'team', 'needed')).toBeDefined();
    await plane.release('pods', 'team', 'worker');
    await plane.quiet();
    expect(plane.find('configmaps', 'team', 'needed')).toBeUndefined();
    expect(plane.find('namespaces', '', 'team')).toBeUndefined();
  });

  it('stays as it is when it is deleted twice', async () => {
    await plane.configMap('team', 'held', { finalizers: ['example.com/wait'] });
    await plane.client.delete('namespaces', '', 'team');
    await plane.quiet();
    const before = plane.get('namespaces', '', 'team');
    await plane.client.delete('namespaces', '', 'team');
    expect(plane.get('namespaces', '', 'team')).toBe(before);
  });

  it('waits for its own finalizers after its contents', async () => {
    await plane.create('namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'kept', finalizers: ['example.com/wait'] },
    });
    await plane.client.delete('namespaces', '', 'kept');
    await plane.quiet();
    expect(plane.get('namespaces', '', 'kept')['spec']).toEqual({ finalizers: [] });
    await plane.release('namespaces', '', 'kept');
    expect(plane.find('namespaces', '', 'kept')).toBeUndefined();
  });
});
