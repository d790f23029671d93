import { describe, expect, it } from 'vitest';
import {
  evaluateConditions,
  matchConditionVariables,
} from '../../../embedded-cluster/src/admission/webhooks/match-conditions.ts';
import { compileCel } from '../../../embedded-cluster/src/cel/cel.ts';
import { conditionsOf } from '../../src/install/manifests/webhook-conditions.ts';
import { evictionWish, podObject, type ReviewWish, reviewFields } from '../operator/admission/reviews.ts';

const conditions = conditionsOf('holdfast-system');
type Webhook = keyof typeof conditions;

const compiled = new Map(
  Object.entries(conditions).map(([name, list]) => [
    name,
    list.map((one) => ({ ...one, compiled: compileCel(one.expression, matchConditionVariables) })),
  ]),
);

/** As an API server evaluates them: the objects have variables of their own. */
function outcome(webhook: Webhook, wish: ReviewWish): 'sent' | 'kept away' | string {
  const { object, oldObject, ...request } = reviewFields(wish);
  const result = evaluateConditions(compiled.get(webhook) ?? [], { object, oldObject, request });
  if (result.kind === 'error') return result.message;
  return result.kind === 'met' ? 'sent' : 'kept away';
}

const ours = { username: 'system:serviceaccount:holdfast-system:holdfast', groups: [] };
const stranger = { username: 'system:serviceaccount:other:holdfast', groups: [] };
const background = { kind: 'DeleteOptions', preconditions: { uid: 'u' }, propagationPolicy: 'Background' };
const repair = { kind: 'DeleteOptions', preconditions: { uid: 'u', resourceVersion: '1' } };
const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const onNode = podObject({}, { nodeName: 'n1' });
const kubelet = (node: string) => ({
  username: `system:node:${node}`,
  groups: ['system:nodes', 'system:authenticated'],
});
const account = (name: string) => ({ username: `system:serviceaccount:kube-system:${name}`, groups: [] });
const phase = (word: string | undefined) => ({ ...podObject(), status: word === undefined ? {} : { phase: word } });
const { status: _status, ...noStatus } = podObject();
const budget = (spec: object, metadata: object = {}) => ({
  kind: 'PodUnavailableBudget',
  metadata: { name: 'b', ...metadata },
  spec,
});
const set = (spec: object, metadata: object = {}) => ({
  kind: 'StatefulSet',
  metadata: { name: 's', ...metadata },
  spec,
});
const asking = { annotations: { 'holdfast.dev/update-strategy': 'EnforcedRollingUpdate' } };
const probed = { annotations: { 'holdfast.dev/disruption-probe': '{}' } };
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

const gate = 'InPlaceUpdateReady';
const gated = (status: string | undefined, gates: readonly string[] = [gate], metadata: object = {}) => ({
  ...podObject(
    { ...metadata },
    gates.length === 0 ? {} : { readinessGates: gates.map((conditionType) => ({ conditionType })) },
  ),
  status: { phase: 'Running', conditions: status === undefined ? [] : [{ type: gate, status }] },
});
const { status: _gateStatus, ...noGateStatus } = gated('True');
const flip = (oldObject: unknown, object: unknown, user?: Record<string, unknown>): ReviewWish => ({
  operation: 'UPDATE',
  subResource: 'status',
  oldObject,
  object,
  ...(user === undefined ? {} : { user }),
});

describe('what match conditions send to the webhooks', () => {
  it.each<readonly [string, Webhook, ReviewWish, 'sent' | 'kept away']>([
    ['an eviction without delete options', 'pinning', evictionWish(), 'sent'],
    ['an eviction with a grace period', 'pinning', evictionWish({ gracePeriodSeconds: 5 }), 'sent'],
    [
      'an eviction with a resourceVersion',
      'pinning',
      evictionWish({ preconditions: { resourceVersion: '1' } }),
      'sent',
    ],
    ['an eviction with a uid', 'pinning', evictionWish({ preconditions: { uid: 'u' } }), 'kept away'],
    ['a person deletes a pod', 'deletion', { oldObject: podObject() }, 'sent'],
    ['a controller deletes a pod', 'deletion', { oldObject: onNode, user: account('replicaset-controller') }, 'sent'],
    ['a deletion without the old pod', 'deletion', { oldObject: null }, 'sent'],
    ['a deletion by an unknown user', 'deletion', { oldObject: onNode, user: {} }, 'sent'],
    ['a member of a collection is deleted', 'deletion', { name: '', oldObject: podObject() }, 'sent'],
    ['our takeover', 'deletion', { oldObject: onNode, user: ours, options: background }, 'kept away'],
    ['our repair of a rollout', 'deletion', { oldObject: onNode, user: ours, options: repair }, 'sent'],
    ['our deletion without any options', 'deletion', { oldObject: onNode, user: ours, options: null }, 'sent'],
    ['a deletion like our takeover, by others', 'deletion', { oldObject: onNode, options: background }, 'sent'],
    [
      'a takeover of another installation',
      'deletion',
      { oldObject: onNode, user: stranger, options: background },
      'sent',
    ],
    ['a pod that is going', 'deletion', { oldObject: podObject(going) }, 'kept away'],
    ['a pod that succeeded', 'deletion', { oldObject: phase('Succeeded') }, 'kept away'],
    ['a pod that failed', 'deletion', { oldObject: phase('Failed') }, 'kept away'],
    ['a pod that waits', 'deletion', { oldObject: phase('Pending') }, 'sent'],
    ['a pod without a phase', 'deletion', { oldObject: phase(undefined) }, 'sent'],
    ['a pod without a status', 'deletion', { oldObject: noStatus }, 'sent'],
    ['the kubelet of its node', 'deletion', { oldObject: onNode, user: kubelet('n1') }, 'kept away'],
    ['the kubelet of another node', 'deletion', { oldObject: onNode, user: kubelet('n2') }, 'sent'],
    ['a kubelet, of a pod without a node', 'deletion', { oldObject: podObject(), user: kubelet('n1') }, 'sent'],
    [
      'one who has only the name of a node',
      'deletion',
      { oldObject: onNode, user: { username: 'system:node:n1', groups: ['dev'] } },
      'sent',
    ],
    ['one without groups', 'deletion', { oldObject: onNode, user: { username: 'system:node:n1' } }, 'sent'],
    [
      'the garbage collector',
      'deletion',
      { oldObject: onNode, user: account('generic-garbage-collector') },
      'kept away',
    ],
    ['the collector of pods', 'deletion', { oldObject: onNode, user: account('pod-garbage-collector') }, 'kept away'],
    ['the namespace controller', 'deletion', { oldObject: onNode, user: account('namespace-controller') }, 'kept away'],
    ['the scheduler', 'deletion', { oldObject: onNode, user: { username: 'system:kube-scheduler' } }, 'kept away'],
    [
      'one who is called like the scheduler',
      'deletion',
      { oldObject: onNode, user: { username: 'system:serviceaccount:kube-system:kube-scheduler', groups: [] } },
      'sent',
    ],

    ['nothing changes', 'update', { oldObject: podObject(), object: podObject() }, 'kept away'],
    [
      'an annotation changes',
      'update',
      { oldObject: podObject(), object: podObject({ annotations: { a: 'b' } }) },
      'kept away',
    ],
    ['a status changes', 'update', { oldObject: podObject(), object: phase('Failed') }, 'kept away'],
    [
      'finalizers change',
      'update',
      { oldObject: podObject(), object: podObject({ finalizers: ['x/y'] }) },
      'kept away',
    ],
    [
      'the image changes',
      'update',
      { oldObject: podObject(), object: podObject({}, { containers: [{ name: 'main', image: 'web:2' }] }) },
      'sent',
    ],
    [
      'a resize',
      'update',
      {
        subResource: 'resize',
        oldObject: podObject(),
        object: podObject(
          {},
          { containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu: '2' } } }] },
        ),
      },
      'sent',
    ],
    ['a label changes', 'update', { oldObject: podObject(), object: podObject({ labels: { app: 'other' } }) }, 'sent'],
    ['all labels go', 'update', { oldObject: podObject(), object: podObject({ labels: undefined }) }, 'sent'],
    [
      'the owner goes',
      'update',
      { oldObject: podObject({ ownerReferences: [{ uid: 'u' }] }), object: podObject() },
      'sent',
    ],
    [
      'the garbage collector takes the owner off',
      'update',
      {
        oldObject: podObject({ ownerReferences: [{ uid: 'u' }] }),
        object: podObject(),
        user: account('generic-garbage-collector'),
      },
      'kept away',
    ],
    [
      'a controller takes the owner off',
      'update',
      {
        oldObject: podObject({ ownerReferences: [{ uid: 'u' }] }),
        object: podObject(),
        user: account('replicaset-controller'),
      },
      'sent',
    ],
    [
      'an unknown user takes the owner off',
      'update',
      { oldObject: podObject({ ownerReferences: [{ uid: 'u' }] }), object: podObject(), user: {} },
      'sent',
    ],
    [
      'another owner comes',
      'update',
      {
        oldObject: podObject({ ownerReferences: [{ uid: 'u' }] }),
        object: podObject({ ownerReferences: [{ uid: 'v' }] }),
      },
      'sent',
    ],
    [
      'a pod that is going changes',
      'update',
      { oldObject: podObject(going), object: podObject({ labels: {} }) },
      'kept away',
    ],
    ['an update without the old pod', 'update', { oldObject: null, object: podObject() }, 'sent'],

    ['[C2] an update in place is announced', 'announcement', flip(gated('True'), gated('False')), 'sent'],
    ['it is announced for the first time', 'announcement', flip(gated(undefined), gated('False')), 'sent'],
    ['it is announced on a pod without a status', 'announcement', flip(noGateStatus, gated('False')), 'sent'],
    ['it was announced before', 'announcement', flip(gated('False'), gated('False')), 'kept away'],
    ['it is taken back', 'announcement', flip(gated('False'), gated('True')), 'kept away'],
    ['nothing of it is said', 'announcement', flip(gated('True'), noGateStatus), 'kept away'],
    ['another status of it', 'announcement', flip(phase('Pending'), phase('Running')), 'kept away'],
    ['a pod without the gate', 'announcement', flip(podObject(), gated('False', [])), 'kept away'],
    ['another gate', 'announcement', flip(podObject(), gated('False', ['other'])), 'kept away'],
    ['one of several gates', 'announcement', flip(gated('True'), gated('False', ['a', gate])), 'sent'],
    ['[C2] a node announces it', 'announcement', flip(gated('True'), gated('False'), kubelet('n1')), 'kept away'],
    [
      'one who has only the name of a node announces it',
      'announcement',
      flip(gated('True'), gated('False'), { username: 'system:node:n1', groups: ['dev'] }),
      'sent',
    ],
    ['one who has no name announces it', 'announcement', flip(gated('True'), gated('False'), {}), 'sent'],
    ['a terminating pod', 'announcement', flip(gated('True', [gate], going), gated('False')), 'kept away'],
    ['a status without the old pod', 'announcement', flip(null, gated('False')), 'kept away'],

    ['a budget is made', 'budget', { operation: 'CREATE', object: budget({ maxUnavailable: 1 }) }, 'sent'],
    [
      'a budget changes',
      'budget',
      { oldObject: budget({ maxUnavailable: 1 }), object: budget({ maxUnavailable: 2 }) },
      'sent',
    ],
    [
      'annotations of a budget change',
      'budget',
      { oldObject: budget({}), object: budget({}, { annotations: { a: 'b' } }) },
      'sent',
    ],
    [
      'labels of a budget change',
      'budget',
      { oldObject: budget({}), object: budget({}, { labels: { a: 'b' } }) },
      'kept away',
    ],
    [
      'a budget that is going loses its finalizer',
      'budget',
      { oldObject: budget({ a: 1 }, going), object: budget({}, going) },
      'kept away',
    ],

    [
      'a StatefulSet like any other',
      'statefulSet',
      { object: set({ updateStrategy: { type: 'RollingUpdate' } }) },
      'kept away',
    ],
    ['one without a strategy', 'statefulSet', { object: set({}) }, 'kept away'],
    [
      'one with an empty strategy',
      'statefulSet',
      { object: set({ updateStrategy: {} }, { annotations: { [lastApplied]: '{}' } }) },
      'kept away',
    ],
    [
      'one that asks by its strategy',
      'statefulSet',
      { object: set({ updateStrategy: { type: 'EnforcedRollingUpdate' } }) },
      'sent',
    ],
    [
      'one that asks by its annotation',
      'statefulSet',
      { object: set({}, { annotations: { 'holdfast.dev/update-strategy': 'EnforcedRollingUpdate' } }) },
      'sent',
    ],
    [
      'another template of one that asks by its annotation',
      'statefulSet',
      { operation: 'UPDATE', object: set({ template: {} }, asking), oldObject: set({}, asking) },
      'kept away',
    ],
    [
      'another strategy of one that asks by its annotation',
      'statefulSet',
      {
        operation: 'UPDATE',
        object: set({ updateStrategy: { type: 'OnDelete' } }, asking),
        oldObject: set({}, asking),
      },
      'sent',
    ],
    [
      'one that asks by its annotation from now on',
      'statefulSet',
      { operation: 'UPDATE', object: set({}, asking), oldObject: set({}) },
      'sent',
    ],
    [
      'one that asked, and does not',
      'statefulSet',
      { operation: 'UPDATE', object: set({}), oldObject: set({}, asking) },
      'kept away',
    ],
    [
      'one that is going',
      'statefulSet',
      { operation: 'UPDATE', object: set({}, { ...asking, ...going }), oldObject: set({}, asking) },
      'kept away',
    ],

    ['a pod with a probe', 'probes', { operation: 'CREATE', object: podObject(probed) }, 'sent'],
    ['a pod without a probe', 'probes', { operation: 'CREATE', object: podObject() }, 'kept away'],
    [
      'a pod with other annotations',
      'probes',
      { operation: 'CREATE', object: podObject({ annotations: { a: 'b' } }) },
      'kept away',
    ],
    [
      'a template with a probe',
      'probes',
      { operation: 'CREATE', object: set({ template: { metadata: probed } }) },
      'sent',
    ],
    [
      'a template without metadata',
      'probes',
      { operation: 'CREATE', object: set({ template: { spec: {} } }) },
      'kept away',
    ],
    [
      'a CronJob with a probe',
      'probes',
      { operation: 'CREATE', object: set({ jobTemplate: { spec: { template: { metadata: probed } } } }) },
      'sent',
    ],
    [
      'leaders with a probe',
      'probes',
      {
        operation: 'CREATE',
        object: set({ leaderWorkerTemplate: { leaderTemplate: { metadata: probed }, workerTemplate: {} } }),
      },
      'sent',
    ],
    [
      'workers with a probe',
      'probes',
      { operation: 'CREATE', object: set({ leaderWorkerTemplate: { workerTemplate: { metadata: probed } } }) },
      'sent',
    ],
    [
      'labels of a pod with a probe change',
      'probes',
      { operation: 'UPDATE', oldObject: podObject(probed), object: podObject({ ...probed, labels: {} }) },
      'kept away',
    ],
    [
      'a pod gets a probe',
      'probes',
      { operation: 'UPDATE', oldObject: podObject(), object: podObject(probed) },
      'sent',
    ],
    [
      'a template with a probe changes',
      'probes',
      {
        operation: 'UPDATE',
        oldObject: set({ template: { metadata: probed } }),
        object: set({ template: { metadata: probed, spec: {} } }),
      },
      'sent',
    ],
  ])('%s', (_name, webhook, wish, expected) => {
    expect(outcome(webhook, JSON.parse(JSON.stringify(wish)) as ReviewWish)).toBe(expected);
  });

  it('every expression compiles', () => {
    for (const list of compiled.values()) for (const one of list) expect(one.compiled).toMatchObject({ ok: true });
  });
});
