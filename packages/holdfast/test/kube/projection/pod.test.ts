import { describe, expect, test } from 'vitest';
import type { Fields } from '../../../../base/src/json.ts';
import { Interner } from '../../../src/kube/projection/interner.ts';
import { projectPod } from '../../../src/kube/projection/pod.ts';

const keepAnnotation = (key: string) => key.startsWith('holdfast.dev/') || key === '__proto__';
const project = (object: unknown) => projectPod(object as Fields, { interner: new Interner(), keepAnnotation });

const metadata = {
  name: 'a',
  namespace: 'shop',
  uid: 'u',
  resourceVersion: '5',
  generation: 2,
  creationTimestamp: '2026-01-01T00:00:00Z',
  deletionTimestamp: '2026-01-01T00:00:01Z',
  labels: { app: 'x' },
};

describe('a pod as we keep it', () => {
  test('has what we use of it, and nothing else', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 's', uid: 'o', controller: true };
    const kept = {
      metadata: { ...metadata, annotations: { 'holdfast.dev/disruption-probe': '{}' }, ownerReferences: [owner] },
      spec: {
        nodeName: 'n',
        schedulingGroup: { podGroupName: 'g' },
        containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } }, disruptionProbe: { exec: {} } }],
        initContainers: [{ name: 's', image: 'j' }],
        activeDeadlineSeconds: 60,
        readinessGates: [{ conditionType: 'InPlaceUpdateReady' }, { conditionType: 'other' }],
      },
      status: {
        phase: 'Running',
        conditions: [
          { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' },
          { type: 'PodResizePending', status: 'True', reason: 'Deferred' },
        ],
        containerStatuses: [
          {
            name: 'c',
            image: 'i',
            imageID: 'sha',
            containerID: 'containerd://1',
            restartCount: 2,
            started: true,
            allocatedResources: { cpu: '1' },
          },
        ],
        initContainerStatuses: [{ name: 's', containerID: 'containerd://2', restartCount: 0 }],
        observedGeneration: 2,
      },
    };
    const sent = {
      kind: 'Pod',
      metadata: {
        ...kept.metadata,
        annotations: { ...kept.metadata.annotations, 'kubectl.kubernetes.io/last-applied-configuration': '{...}' },
        ownerReferences: [{ ...owner, blockOwnerDeletion: true }],
        managedFields: [{}],
        finalizers: ['f'],
      },
      spec: { ...kept.spec, containers: [{ ...kept.spec.containers[0], env: [] }], volumes: [{}] },
      status: {
        ...kept.status,
        podIP: '10.0.0.1',
        conditions: [{ ...kept.status.conditions[0], message: 'm', reason: 'r' }, kept.status.conditions[1]],
        containerStatuses: [{ ...kept.status.containerStatuses[0], ready: true, state: { running: {} } }],
      },
    };
    expect(project(sent)).toEqual(kept);
  });

  test('keeps readiness gates only where one of them announces updates in place', () => {
    const spec = { readinessGates: [{ conditionType: 'other' }] };
    expect(project({ metadata: { name: 'a' }, spec }).spec).toEqual({});
  });

  test.each([
    ['nothing but a name', { metadata: { name: 'a' } }, { metadata: { name: 'a' } }],
    [
      'nonsense',
      { metadata: { name: 'a', labels: 7, ownerReferences: 'x' }, spec: [], status: null },
      { metadata: { name: 'a' } },
    ],
    [
      'numbers for labels',
      { metadata: { name: 'a', labels: { n: 1 } }, status: { conditions: [null] } },
      { metadata: { name: 'a' }, status: {} },
    ],
  ])('may have %s', (_, sent, kept) => {
    expect(project(sent)).toEqual(kept);
  });

  test('keeps keys that a person chose', () => {
    const sent: unknown = JSON.parse('{"metadata":{"name":"a","labels":{"__proto__":"x","constructor":"y"}}}');
    const { labels } = project(sent).metadata;
    expect(Object.entries(labels ?? {})).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });

  test.each([{}, { metadata: {} }, { metadata: { name: 5 } }])('has a name: %j', (sent) => {
    expect(() => project(sent)).toThrow(/name/);
  });
});

test('equal texts become one, and memory stays bounded', () => {
  const interner = new Interner(2);
  expect(['a', 'b', 'c', 'a'].map((text) => interner.of(text))).toEqual(['a', 'b', 'c', 'a']);
});
