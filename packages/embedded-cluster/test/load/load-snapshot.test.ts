import { describe, expect, it } from 'vitest';
import { loadSnapshot } from '../../src/load/load-snapshot.ts';
import { anEmptyPlane, aRunningPod, aSnapshot } from './a-plane.ts';

const widgets = {
  group: 'example.com',
  scope: 'Namespaced',
  names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
  versions: [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
        },
      },
    },
  ],
};

describe('loading a snapshot', () => {
  it('keeps identity, times, owners and status, and gives a version of its own', async () => {
    const plane = anEmptyPlane();
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'uid-of-web', controller: true };
    const report = await loadSnapshot(plane, [
      aRunningPod('web-1', { metadata: { ownerReferences: [owner], finalizers: ['example.com/keep'], generation: 7 } }),
      replicaSet('web'),
      aSnapshot('v1', 'Namespace', 'shop'),
      aSnapshot('v1', 'Node', 'worker-1'),
    ]);
    expect(report).toEqual({ loaded: 4, notLoaded: [], notes: [] });
    const pod = plane.view.get('pods', 'shop', 'web-1');
    expect(pod?.metadata).toMatchObject({
      uid: 'uid-of-web-1',
      creationTimestamp: '2026-01-02T03:04:05Z',
      ownerReferences: [owner],
      finalizers: ['example.com/keep'],
      generation: 7,
    });
    expect(pod?.['status']).toMatchObject({ phase: 'Running', podIP: '10.0.0.7', podIPs: [{ ip: '10.0.0.7' }] });
    expect(pod?.metadata.resourceVersion).not.toBe('99887766');
    expect(plane.view.podsOnNode('worker-1')).toHaveLength(1);
  });

  it('fills in what a hand-written object does not say', async () => {
    const plane = anEmptyPlane();
    await loadSnapshot(plane, [aSnapshot('v1', 'Pod', 'bare', { spec: { containers: [{ name: 'c', image: 'i' }] } })]);
    const pod = plane.view.get('pods', 'default', 'bare');
    expect(pod?.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(pod?.metadata).toMatchObject({ namespace: 'default', generation: 1, creationTimestamp: expect.any(String) });
    expect(pod?.['spec']).toMatchObject({ restartPolicy: 'Always', terminationGracePeriodSeconds: 30 });
  });

  it('makes simulated nodes of the nodes', async () => {
    const plane = anEmptyPlane();
    const status = { capacity: { cpu: '64' } };
    await loadSnapshot(plane, [aSnapshot('v1', 'Node', 'big', { metadata: { labels: { rack: '7' } }, status })]);
    const node = plane.view.get('nodes', '', 'big');
    expect(node?.metadata.labels).toEqual({ rack: '7', 'sim.holdfast.dev/node': 'true' });
    expect(node?.['status']).toMatchObject({ capacity: { cpu: '64' } });
  });

  it('creates namespaces that are missing', async () => {
    const plane = anEmptyPlane();
    const { notes } = await loadSnapshot(plane, [aRunningPod('web-1'), aSnapshot('v1', 'Node', 'worker-1')]);
    expect(notes).toEqual(['created 1 namespace: shop']);
    expect(plane.view.get('namespaces', '', 'shop')).toMatchObject({
      metadata: { uid: expect.any(String), labels: { 'kubernetes.io/metadata.name': 'shop' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  });

  it('lets simulated nodes stand in where the snapshot has none', async () => {
    const plane = anEmptyPlane();
    const { notes } = await loadSnapshot(plane, [
      aRunningPod('a'),
      aRunningPod('b', { spec: { nodeName: 'worker-2' } }),
      aRunningPod('c', { spec: { nodeName: '' } }),
    ]);
    expect(notes).toContain('the snapshot has no nodes: simulated ones stand in for worker-1, worker-2');
    const nodes = plane.view.list('nodes');
    expect(nodes.map(({ metadata }) => metadata.name)).toEqual(['worker-1', 'worker-2']);
    expect(nodes.map(({ metadata }) => metadata.labels?.['kubernetes.io/hostname'])).toEqual(['worker-1', 'worker-2']);
  });

  it('says which nodes are missing where it has others', async () => {
    const plane = anEmptyPlane();
    const { notes } = await loadSnapshot(plane, [aRunningPod('a'), aSnapshot('v1', 'Node', 'worker-9')]);
    expect(notes).toContain('pods are on nodes that are not in the snapshot and will be removed: worker-1');
    expect(plane.view.list('nodes')).toHaveLength(1);
  });

  it('says what will be garbage, unless the kind of the owner is unknown or another owner is there', async () => {
    const plane = anEmptyPlane();
    const owner = (kind: string, uid: string, apiVersion = 'apps/v1') => ({ apiVersion, kind, name: 'web', uid });
    const { notes, loaded } = await loadSnapshot(plane, [
      replicaSet('web'),
      aRunningPod('gone-1', { metadata: { ownerReferences: [owner('StatefulSet', 'absent')] } }),
      aRunningPod('gone-2', { metadata: { ownerReferences: [owner('StatefulSet', 'absent')] } }),
      aRunningPod('held', {
        metadata: { ownerReferences: [owner('Job', 'no', 'batch/v1'), owner('ReplicaSet', 'uid-of-web')] },
      }),
      aRunningPod('foreign', { metadata: { ownerReferences: [owner('Gang', 'absent', 'example.com/v1')] } }),
    ]);
    expect(loaded).toBe(5);
    expect(notes.filter((note) => note.includes('garbage'))).toEqual([
      '2 objects of StatefulSet web, which is not in the snapshot, will be removed as garbage, with all that they own',
    ]);
  });

  it('loads objects of kinds that the snapshot itself defines, wherever they stand', async () => {
    const plane = anEmptyPlane();
    const report = await loadSnapshot(plane, [
      aSnapshot('example.com/v1', 'Widget', 'w', { metadata: { namespace: 'default' }, spec: { size: 3 } }),
      aSnapshot('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'widgets.example.com', { spec: widgets }),
    ]);
    expect(report).toMatchObject({ loaded: 2, notLoaded: [] });
    expect(plane.view.get('example.com/widgets', 'default', 'w')).toMatchObject({ spec: { size: 3 } });
  });
});

describe('what of a snapshot is not loaded', () => {
  it('counts objects of unknown kinds by kind', async () => {
    const { notLoaded } = await loadSnapshot(anEmptyPlane(), [
      aSnapshot('ray.io/v1', 'RayCluster', 'a'),
      aSnapshot('ray.io/v1', 'RayCluster', 'b'),
      aSnapshot('policy/v1beta1', 'PodDisruptionBudget', 'old'),
      aSnapshot('authorization.k8s.io/v1', 'SubjectAccessReview', 'asks'),
    ]);
    expect(notLoaded).toEqual([
      '2 objects of kind ray.io/v1 RayCluster, which is not served here',
      '1 object of kind policy/v1beta1 PodDisruptionBudget, which is not served here',
      '1 object of kind authorization.k8s.io/v1 SubjectAccessReview, which is not served here',
    ]);
  });

  const refused: [what: string, object: ReturnType<typeof aSnapshot>, why: RegExp][] = [
    ['a pod without containers', aSnapshot('v1', 'Pod', 'p', { spec: {} }), /^Pod p: spec.containers: Required value/],
    [
      'a field of the wrong type',
      aSnapshot('v1', 'Pod', 'p', { spec: { containers: 'none' } }),
      /^Pod p: .*spec\.containers/,
    ],
    ['a name that is none', aRunningPod('Not A Name'), /^Pod shop\/Not A Name: metadata.name: Invalid value/],
    [
      'a node in a namespace',
      aSnapshot('v1', 'Node', 'n', { metadata: { namespace: 'shop' } }),
      /^Node shop\/n: metadata.namespace: Forbidden/,
    ],
    [
      'metadata of the wrong type',
      aSnapshot('v1', 'ConfigMap', 'c', { metadata: { labels: ['a'] } }),
      /^ConfigMap c: .*labels/,
    ],
    [
      'a webhook that runs elsewhere',
      aSnapshot('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'v', { webhooks: [] }),
      /^ValidatingWebhookConfiguration v: what it calls does not run here/,
    ],
    [
      'how a part of another cluster was',
      aSnapshot('v1', 'ComponentStatus', 'scheduler'),
      /^ComponentStatus scheduler: it says how another cluster was/,
    ],
  ];
  it.each(refused)('says why: %s', async (_what, object, why) => {
    const plane = anEmptyPlane();
    const { loaded, notLoaded } = await loadSnapshot(plane, [object]);
    expect(loaded).toBe(0);
    expect(notLoaded).toEqual([expect.stringMatching(why)]);
  });

  it('keeps the first of two with the same name', async () => {
    const plane = anEmptyPlane();
    const { loaded, notLoaded } = await loadSnapshot(plane, [aRunningPod('a'), aRunningPod('a')]);
    expect({ loaded, notLoaded }).toEqual({ loaded: 1, notLoaded: ['Pod shop/a: is there already'] });
  });

  it('names fields that the kind does not have', async () => {
    const { loaded, notes } = await loadSnapshot(anEmptyPlane(), [
      aSnapshot('v1', 'ConfigMap', 'c', { metadata: { namespace: 'default' }, dta: { a: 'b' } }),
    ]);
    expect(loaded).toBe(1);
    expect(notes).toContain('ConfigMap default/c: unknown field "dta" was dropped');
  });

  it('does not trip over names of prototypes', async () => {
    const plane = anEmptyPlane();
    const labels: unknown = JSON.parse('{"__proto__": "x", "constructor": "y"}');
    const report = await loadSnapshot(plane, [
      aSnapshot('v1', 'ConfigMap', 'constructor', { metadata: { namespace: 'tostring', labels } }),
      aSnapshot('__proto__', 'constructor', 'valueOf'),
    ]);
    expect(report.loaded + report.notLoaded.length).toBe(2);
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });
});

function replicaSet(name: string) {
  const labels = { app: name };
  return aSnapshot('apps/v1', 'ReplicaSet', name, {
    metadata: { namespace: 'shop', uid: `uid-of-${name}` },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'app:1' }] } },
    },
  });
}
