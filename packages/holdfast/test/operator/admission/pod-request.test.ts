import { describe, expect, it } from 'vitest';
import { type PodRequest, podRequestOf } from '../../../src/operator/admission/pod-request.ts';
import { readReview } from '../../../src/operator/admission/wire/review.ts';
import { evictionWish, podObject, type ReviewWish, reviewText } from './reviews.ts';

const self = 'system:serviceaccount:holdfast-system:holdfast';

function asked(wish: ReviewWish): PodRequest {
  const read = readReview(Buffer.from(reviewText(wish)));
  if (!read.ok) throw new Error(read.problem);
  return podRequestOf(read.request, { username: self });
}

/** The request that is judged, which there must be. */
function judged(wish: ReviewWish) {
  const request = asked(wish);
  if (request.kind !== 'disruption') throw new Error(JSON.stringify(request));
  return request;
}

const kubelet = { username: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };
const serviceAccount = (name: string) => ({
  username: `system:serviceaccount:${name}`,
  groups: ['system:serviceaccounts'],
});

describe('an eviction', () => {
  it('names the pod that it is about', () => {
    expect(judged(evictionWish()).request).toEqual({
      operation: 'EVICT',
      namespace: 'shop',
      pod: 'web-0',
      requester: { kind: 'other' },
      dryRun: false,
    });
  });

  it('without a name in the review has it in the object', () => {
    expect(judged(evictionWish({}, { name: '' })).request.pod).toBe('web-0');
  });

  it.each([
    ['not at all', false, undefined, false],
    ['in the query', true, undefined, true],
    ['in the body alone, where the review says false', false, { dryRun: ['All'] }, true],
    ['in both', true, { dryRun: ['All'] }, true],
    ['with an empty list', false, { dryRun: [] }, false],
    ['with a word that the API server refuses later', false, { dryRun: ['Some'] }, true],
  ])('[I6] asks for a dry run %s', (_, inQuery, options, expected) => {
    expect(judged(evictionWish(options, { dryRun: inQuery })).request.dryRun).toBe(expected);
  });

  it('with a uid precondition means that pod', () => {
    const { request, eviction } = judged(evictionWish({ preconditions: { uid: 'u1' } }));
    expect(request).toMatchObject({ uid: 'u1' });
    expect(request).not.toHaveProperty('resourceVersionPrecondition');
    expect(eviction).toEqual({ dryRun: false, uid: 'u1' });
  });

  it('with a resourceVersion precondition says so', () => {
    const { request, eviction } = judged(evictionWish({ preconditions: { resourceVersion: '7' } }));
    expect(request).toMatchObject({ resourceVersionPrecondition: true });
    expect(eviction).toEqual({ dryRun: false, resourceVersion: '7' });
  });

  it('keeps the grace and the propagation that the client asked for', () => {
    const { eviction } = judged(evictionWish({ gracePeriodSeconds: 0, propagationPolicy: 'Background' }));
    expect(eviction).toEqual({ dryRun: false, gracePeriodSeconds: 0, propagationPolicy: 'Background' });
  });

  it.each([
    ['no object', { ...evictionWish(), object: undefined }, 'request.object must be an Eviction'],
    [
      '[I13] another pod than the request',
      { ...evictionWish(), name: 'db-0' },
      'the Eviction names another pod than the request',
    ],
    [
      '[I13] another namespace than the request',
      { ...evictionWish(), namespace: 'kube-system' },
      'the Eviction names another namespace than the request',
    ],
    ['options that are a number', evictionWish(5 as never), 'request.object.deleteOptions must be an object'],
    ['a dry run that is a text', evictionWish({ dryRun: 'All' }), 'request.object.deleteOptions.dryRun must be a list'],
    [
      'half a second of grace',
      evictionWish({ gracePeriodSeconds: 0.5 }),
      'request.object.deleteOptions.gracePeriodSeconds must be an integer',
    ],
    [
      'a number as policy',
      evictionWish({ propagationPolicy: 1 }),
      'request.object.deleteOptions.propagationPolicy must be a string',
    ],
    [
      'preconditions that are a list',
      evictionWish({ preconditions: [] }),
      'request.object.deleteOptions.preconditions must be an object',
    ],
    [
      'a number as uid',
      evictionWish({ preconditions: { uid: 1 } }),
      'request.object.deleteOptions.preconditions.uid must be a string',
    ],
    [
      'a number as version',
      evictionWish({ preconditions: { resourceVersion: 1 } }),
      'request.object.deleteOptions.preconditions.resourceVersion must be a string',
    ],
    ['no namespace', evictionWish({}, { namespace: '' }), 'the review does not name the namespace of the pod'],
    [
      'no name anywhere',
      { ...evictionWish({}, { name: '' }), object: { metadata: {} } },
      'the review does not name the pod',
    ],
  ])('is bad with %s', (_, wish, problem) => {
    expect(asked(wish)).toEqual({ kind: 'bad', problem });
  });
});

describe('a deletion', () => {
  it('means the pod with the uid of the old object', () => {
    expect(judged({ oldObject: podObject() }).request).toEqual({
      operation: 'DELETE',
      namespace: 'shop',
      pod: 'web-0',
      uid: 'uid-web-0',
      requester: { kind: 'other' },
      dryRun: false,
    });
  });

  it('of a collection has the name of each pod in the old object only', () => {
    expect(judged({ name: '', oldObject: podObject({ name: 'web-7', uid: 'u7' }) }).request).toMatchObject({
      pod: 'web-7',
      uid: 'u7',
    });
  });

  it('[I5] is the same request each time that one DELETE calls', () => {
    const first = judged({ oldObject: podObject({ resourceVersion: '1' }) });
    const second = judged({ oldObject: podObject({ resourceVersion: '2' }), options: { gracePeriodSeconds: 0 } });
    expect(second).toEqual(first);
  });

  it('of a pod that is going already passes, as one of the later calls of a forced delete does', () => {
    const oldObject = podObject({ deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(asked({ oldObject })).toEqual({ kind: 'pass', why: 'terminating' });
  });

  it('is not judged by what an old state says that may have changed', () => {
    const oldObject = { ...podObject(), status: { phase: 'Pending' } };
    expect(asked({ oldObject }).kind).toBe('disruption');
  });

  it.each([
    ['a person', { username: 'alice' }, { kind: 'other' }, false],
    ['the kubelet', kubelet, { kind: 'kubelet', node: 'n1' }, false],
    ['a user who claims the name of a kubelet', { username: 'system:node:n1' }, { kind: 'other' }, false],
    [
      'the garbage collector',
      serviceAccount('kube-system:generic-garbage-collector'),
      { kind: 'garbageCollector' },
      false,
    ],
    [
      'the pod garbage collector',
      serviceAccount('kube-system:pod-garbage-collector'),
      { kind: 'podGarbageCollector' },
      false,
    ],
    ['a controller', serviceAccount('kube-system:statefulset-controller'), { kind: 'workloadController' }, false],
    ['ourselves', serviceAccount('holdfast-system:holdfast'), { kind: 'other' }, true],
  ])('is asked for by %s', (_, user, requester, own) => {
    const request = judged({ user, oldObject: podObject() });
    expect(request.request.requester).toEqual(requester);
    expect(request.own).toBe(own);
  });

  it.each([
    ['no name and no old object', { name: '' }, 'the review does not name the pod'],
    ['an old object without metadata', { oldObject: { kind: 'Pod' } }, 'request.oldObject.metadata must be an object'],
    ['a list as old object', { oldObject: [] }, 'request.oldObject.metadata must be an object'],
    ['a number as uid', { oldObject: podObject({ uid: 1 }) }, 'request.oldObject.metadata.uid must be a string'],
    ['a number as name', { oldObject: podObject({ name: 1 }) }, 'request.oldObject.metadata.name must be a string'],
    [
      'labels that are no texts',
      { oldObject: podObject({ labels: { a: 1 } }) },
      'request.oldObject.metadata.labels must be a map of strings',
    ],
    [
      'owners that are none',
      { oldObject: podObject({ ownerReferences: [null] }) },
      'request.oldObject.metadata.ownerReferences must be a list of owners',
    ],
    [
      'owners without a kind',
      { oldObject: podObject({ ownerReferences: [{ name: 'x', uid: 'y', apiVersion: 'v1' }] }) },
      'request.oldObject.metadata.ownerReferences must be a list of owners',
    ],
  ])('is bad with %s', (_, wish, problem) => {
    expect(asked(wish)).toEqual({ kind: 'bad', problem });
  });
});

const resized = (cpu: string, more: object = {}) => ({
  containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu } }, ...more }],
});
const image = (name: string) => ({
  containers: [{ name: 'main', image: name, resources: { requests: { cpu: '1' } } }],
});
const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'u', controller: true };

describe('an update', () => {
  const update = (object: unknown, more: Partial<ReviewWish> = {}): ReviewWish => ({
    operation: 'UPDATE',
    oldObject: podObject(),
    object,
    ...more,
  });

  it.each([
    ['a new image', podObject({}, image('web:2')), '', { operation: 'UPDATE', takesAway: true }],
    [
      'an unavailable label',
      podObject({ labels: { app: 'web', 'unavailable-pod.kruise.io/x': '' } }),
      '',
      { operation: 'UPDATE', takesAway: true },
    ],
    ['another label', podObject({ labels: { app: 'other' } }), '', { operation: 'UPDATE', takesAway: false }],
    [
      'another owner',
      podObject({ ownerReferences: [owner] }),
      '',
      { operation: 'UPDATE', takesAway: false, referencesChange: true },
    ],
    ['a resize', podObject({}, resized('2')), 'resize', { operation: 'RESIZE' }],
    [
      'a resize that restarts',
      podObject({}, resized('2', { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] })),
      'resize',
      { operation: 'UPDATE', takesAway: true },
    ],
    ['a resize by the pod itself', podObject({}, resized('2')), '', { operation: 'RESIZE' }],
    [
      'a resize and another label',
      podObject({ labels: {} }, resized('2')),
      '',
      { operation: 'UPDATE', takesAway: true },
    ],
  ])('is judged for %s', (_, object, subResource, expected) => {
    const { request } = judged(update(object, { subResource }));
    expect(request).toMatchObject({ ...expected, pod: 'web-0', uid: 'uid-web-0', namespace: 'shop' });
    expect(request.after?.metadata.labels).toEqual((object['metadata'] as Record<string, unknown>)['labels']);
    if (expected.operation === 'RESIZE') expect(request).not.toHaveProperty('takesAway');
  });

  it('says whether the pod refers to other owners, whatever else a reference says', () => {
    const oldObject = podObject({ ownerReferences: [owner] });
    const change = (...references: readonly object[]) =>
      judged(update(podObject({ labels: {}, ownerReferences: references }), { oldObject })).request.referencesChange;
    expect(change({ ...owner, blockOwnerDeletion: true })).toBeUndefined();
    expect(change()).toBe(true);
    expect(change({ ...owner, controller: false })).toBe(true);
    expect(change({ ...owner, uid: 'v' })).toBe(true);
    expect(change(owner, { ...owner, controller: false, uid: 'v' })).toBe(true);
  });

  it.each([
    ['nothing', podObject()],
    ['an annotation', podObject({ annotations: { a: 'b' } })],
    ['a toleration', podObject({}, { tolerations: [{ operator: 'Exists' }] })],
    ['a finalizer', podObject({ finalizers: ['x/y'] })],
  ])('that changes %s passes without a judge, who may not be ready', (_, object) => {
    expect(asked(update(object))).toEqual({ kind: 'pass', why: 'harmless' });
  });

  it('of a pod that is going passes', () => {
    const oldObject = podObject({ deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(asked(update(podObject({}, image('web:2')), { oldObject }))).toEqual({ kind: 'pass', why: 'terminating' });
  });

  it.each([
    ['without an old object', update(podObject(), { oldObject: undefined })],
    ['without a new object', update(undefined)],
  ])('is bad %s', (_, wish) => {
    expect(asked(wish)).toEqual({ kind: 'bad', problem: 'an UPDATE needs object and oldObject' });
  });
});

describe('a change of a pod, as a reservation records it', () => {
  const status = {
    phase: 'Running',
    containerStatuses: [{ name: 'main', containerID: 'containerd://1', restartCount: 3, started: true }],
  };
  const old: Record<string, unknown> = { ...podObject({ resourceVersion: '41', generation: 7 }), status };
  const changed = (object: Record<string, unknown>, subResource = '') =>
    judged({ operation: 'UPDATE', oldObject: old, object, subResource }).request.change;
  const withSpec = (spec: object) => ({ ...old, spec: { ...(old['spec'] as object), ...spec } });
  const withLabels = (labels: object) => ({ ...old, metadata: { ...(old['metadata'] as object), labels } });
  const from = { resourceVersion: '41', generation: 7, runs: [{ name: 'main', restartCount: 3, started: true }] };

  it.each([
    ['a new image', withSpec(image('web:2')), { kind: 'spec', restarts: ['main'] }],
    ['a resize', withSpec(resized('2')), { kind: 'spec', restarts: [] }],
    ['another label', withLabels({ app: 'other' }), { kind: 'membership', restarts: [] }],
    [
      'an unavailable label',
      withLabels({ app: 'web', 'unavailable-pod.kruise.io/x': '' }),
      { kind: 'membership', restarts: [] },
    ],
    ['a deadline', withSpec({ activeDeadlineSeconds: 5 }), { kind: 'unknown', restarts: [] }],
  ])('[L8] says which version it is asked for, and what it restarts: %s', (_, object, want) => {
    expect(changed(object)).toMatchObject({ ...from, ...want });
  });

  it('[L8] is not recorded where the pod does not say its version', () => {
    const object = podObject({}, image('web:2'));
    expect(judged({ operation: 'UPDATE', oldObject: podObject(), object }).request).not.toHaveProperty('change');
  });
});

describe('a status', () => {
  const gates = { readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] };
  const gated = (status: string | undefined, spec: object = gates, metadata: object = {}) => ({
    ...podObject({ resourceVersion: '41', ...metadata }, { ...spec }),
    status: { phase: 'Running', conditions: status === undefined ? [] : [{ type: 'InPlaceUpdateReady', status }] },
  });
  const written = (oldObject: unknown, object: unknown, user?: Record<string, unknown>): ReviewWish => ({
    operation: 'UPDATE',
    subResource: 'status',
    oldObject,
    object,
    ...(user === undefined ? {} : { user }),
  });

  it.each([['True'], [undefined], ['Unknown']])('[C2] is an UPDATE when it announces one: from %s', (before) => {
    const { request } = judged(written(gated(before), gated('False')));
    expect(request).toMatchObject({ operation: 'UPDATE', takesAway: true, pod: 'web-0', uid: 'uid-web-0' });
    expect(request.change).toMatchObject({ kind: 'announcement', resourceVersion: '41', restarts: [] });
  });

  it.each([
    ['that was announced before', written(gated('False'), gated('False'))],
    ['that ends an announcement', written(gated('False'), gated('True'))],
    ['of a pod without the gate', written(gated('True', {}), gated('False', {}))],
    [
      'that a node writes',
      written(gated('True'), gated('False'), { username: 'system:node:n1', groups: ['system:nodes'] }),
    ],
  ])('[C2] is harmless otherwise: one %s', (_, wish) => {
    expect(asked(wish)).toEqual({ kind: 'pass', why: 'harmless' });
  });

  it('[C2] of a terminating pod passes', () => {
    const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    expect(asked(written(gated('True', gates, going), gated('False', gates, going)))).toEqual({
      kind: 'pass',
      why: 'terminating',
    });
  });

  it('without its objects is no review', () => {
    expect(asked(written(null, null))).toEqual({ kind: 'bad', problem: 'an UPDATE needs object and oldObject' });
  });
});

describe('anything else', () => {
  it.each([
    ['a scale', { operation: 'UPDATE', subResource: 'scale' }],
    ['a new pod', { operation: 'CREATE' }],
    ['a binding', { operation: 'CREATE', subResource: 'binding' }],
    ['an exec', { operation: 'CONNECT', subResource: 'exec' }],
    ['another resource', { resource: { group: '', version: 'v1', resource: 'services' } }],
    ['pods of another group', { resource: { group: 'metrics.k8s.io', version: 'v1', resource: 'pods' } }],
  ])('is no disruption: %s', (_, wish) => {
    expect(asked(wish)).toEqual({ kind: 'pass', why: 'notADisruption' });
  });
});
