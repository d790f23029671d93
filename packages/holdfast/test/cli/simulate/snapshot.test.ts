import { describe, expect, it } from 'vitest';
import type { LoadedObject } from '../../../src/cli/load-objects.ts';
import { completeSnapshot } from '../../../src/cli/simulate/snapshot/complete.ts';
import { overlay } from '../../../src/cli/simulate/snapshot/overlay.ts';
import type { SnapshotPod } from '../../../src/cli/simulate/snapshot/snapshot-pods.ts';
import { startTimesOf } from '../../../src/cli/simulate/snapshot/start-times.ts';
import { app, node, object, pdb } from './snapshots.ts';

const find = (objects: readonly LoadedObject[], kind: string, name: string) =>
  objects.find((one) => one.kind === kind && one.metadata.name === name);

describe('a snapshot that is to be simulated', () => {
  it('has the nodes that pods name, and says which are made up', () => {
    const { objects, notes } = completeSnapshot([node('n1'), ...app('web', ['n1', 'n2', 'n3'])], undefined);
    expect(objects.filter(({ kind }) => kind === 'Node').map(({ metadata }) => metadata.name)).toEqual([
      'n1',
      'n2',
      'n3',
    ]);
    expect(notes).toEqual([expect.stringContaining('2 nodes are made up, because pods are on them: n2, n3')]);
  });

  it('keeps a node cut off that did not answer', () => {
    const silent = { ...node('n1'), status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } } as LoadedObject;
    const { objects, notes } = completeSnapshot([silent, ...app('web', ['n1'])], undefined);
    expect(find(objects, 'Node', 'n1')?.metadata['annotations']).toEqual({ 'sim.holdfast.dev/down': 'true' });
    expect(notes).toEqual([expect.stringContaining('1 node is not ready in the snapshot')]);
  });

  it('takes an object without a uid for the one that others mean by its name', () => {
    const [set, pod] = app('web', ['n1']) as readonly [LoadedObject, LoadedObject];
    const { uid: _, ...metadata } = set.metadata as LoadedObject['metadata'] & { uid: string };
    const { objects } = completeSnapshot([{ ...set, metadata } as LoadedObject, pod], undefined);
    expect(find(objects, 'ReplicaSet', 'web')?.metadata['uid']).toBe('replicaset-web');
  });

  it('defines kinds without a definition, and keeps definitions of the snapshot', () => {
    const custom = object('ray.io/v1', 'RayCluster', 'train', { spec: { replicas: 2 } });
    const { objects } = completeSnapshot([...app('web', ['n1']), custom], undefined);
    const definition = find(objects, 'CustomResourceDefinition', 'rayclusters.ray.io');
    expect(definition?.['spec']).toMatchObject({
      scope: 'Namespaced',
      versions: [{ name: 'v1', subresources: { scale: {} } }],
    });
    const crd = object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'rayclusters.ray.io', {
      spec: { group: 'ray.io', names: { kind: 'RayCluster' } },
    });
    const known = completeSnapshot([...app('web', ['n1']), custom, crd], undefined);
    expect(known.objects.filter(({ kind }) => kind === 'CustomResourceDefinition')).toEqual([crd]);
  });

  it('makes up what pods cannot be made without: their namespace, service account and priority', () => {
    const [set, pod] = app('web', ['n1']) as readonly [LoadedObject, SnapshotPod];
    const important = { serviceAccountName: 'shopper', priorityClassName: 'high', priority: 7 };
    const { objects } = completeSnapshot([set, { ...pod, spec: { ...pod.spec, ...important } }], undefined);
    expect(find(objects, 'Namespace', 'shop')).toBeDefined();
    expect(find(objects, 'ServiceAccount', 'shopper')?.metadata.namespace).toBe('shop');
    expect(find(objects, 'PriorityClass', 'high')).toMatchObject({ value: 7 });
  });

  it('begins after the last thing that it tells of', () => {
    const late = object('v1', 'ConfigMap', 'late', {}, { creationTimestamp: '2026-11-05T10:00:00Z' });
    const { takenAt } = completeSnapshot([...app('web', ['n1']), late], undefined);
    expect(new Date(takenAt).toISOString()).toBe('2026-11-05T10:00:01.000Z');
  });
});

describe('how long pods take to start', () => {
  const started = (name: string, owner: string, seconds: number, more: object = {}): SnapshotPod =>
    object(
      'v1',
      'Pod',
      name,
      {
        spec: { nodeName: 'n1', containers: [{ name: 'main', ...more }] },
        status: {
          phase: 'Running',
          conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: new Date(seconds * 1_000).toISOString() }],
        },
      },
      {
        creationTimestamp: new Date(0).toISOString(),
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner, controller: true }],
      },
    );

  it('is the median of the snapshot, for each owner and over all', () => {
    const pods = [started('a', 'web', 10), started('b', 'web', 20), started('c', 'web', 90), started('d', 'db', 40)];
    expect(startTimesOf(pods, undefined)).toEqual({
      usualMs: 30_000,
      source: 'snapshot',
      byOwner: new Map([
        ['shop/ReplicaSet/web', 20_000],
        ['shop/ReplicaSet/db', 40_000],
      ]),
    });
  });

  it('leaves out what the readiness probe waits for, and pods that were restarted or waited for hours', () => {
    const slow = started('a', 'web', 50, { readinessProbe: { initialDelaySeconds: 30 } });
    const restarted = {
      ...started('b', 'web', 10),
      status: { ...slow.status, containerStatuses: [{ restartCount: 1 }] },
    };
    const stuck = started('c', 'web', 90_000);
    expect(startTimesOf([slow, restarted, stuck], undefined).usualMs).toBe(20_000);
  });

  it('is what the user says, or the default', () => {
    expect(startTimesOf([started('a', 'web', 10)], 5_000)).toMatchObject({ usualMs: 5_000, source: 'option' });
    expect(startTimesOf([], undefined)).toMatchObject({ usualMs: 20_000, source: 'default' });
  });
});

describe('changes to a snapshot', () => {
  const shop = [...app('web', ['n1']), pdb('web', { minAvailable: 1 })];

  it('replace the spec of a budget, and merge into all else', () => {
    const budget = pdb('web', { maxUnavailable: 1 });
    const scaled = object('apps/v1', 'ReplicaSet', 'web', { spec: { replicas: 3 } }, { labels: { tier: 'front' } });
    const { objects, changed, added } = overlay(shop, [budget, scaled, pdb('other', {})]);
    expect(changed).toEqual(['PodDisruptionBudget shop/web', 'ReplicaSet shop/web']);
    expect(added).toEqual(['PodDisruptionBudget shop/other']);
    expect(find(objects, 'PodDisruptionBudget', 'web')?.['spec']).toEqual(budget['spec']);
    const set = find(objects, 'ReplicaSet', 'web');
    expect(set?.['spec']).toMatchObject({ replicas: 3, selector: { matchLabels: { app: 'web' } } });
    expect(set?.metadata).toMatchObject({ uid: 'replicaset-web', generation: 2, labels: { tier: 'front' } });
  });

  it('take away what they say is null', () => {
    const { objects } = overlay(shop, [object('apps/v1', 'ReplicaSet', 'web', { spec: { selector: null } })]);
    expect(find(objects, 'ReplicaSet', 'web')?.['spec']).not.toHaveProperty('selector');
  });
});
