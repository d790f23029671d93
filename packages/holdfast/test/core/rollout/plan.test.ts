import { describe, expect, test } from 'vitest';
import type { ObjectMeta } from '../../../../base/src/meta.ts';
import type { Pod } from '../../../src/api/pod.ts';
import { planEnforcedRollout } from '../../../src/core/rollout/plan-rollout.ts';
import { bare, broken, healthy, iso, noon, pod, statefulSet, terminating } from './builders.ts';
import { annotations, healthyWeb, replacedWeb0, table, upToDate } from './plan-table.ts';

function withoutLabels({ labels: _, ...metadata }: ObjectMeta): ObjectMeta {
  return metadata;
}

describe('[R1] before anything is decided', () => {
  table({
    'a set that did not opt in is left alone': {
      set: { annotations: {} },
      pods: [broken('web-0')],
      want: 'off: annotate with holdfast.dev/update-strategy: EnforcedRollingUpdate to opt in',
    },
    'a set with an unknown strategy word says so and is left alone': {
      set: { annotations: { 'holdfast.dev/update-strategy': 'Enforced' } },
      pods: [broken('web-0')],
      want: 'invalid: metadata.annotations[holdfast.dev/update-strategy]: Unsupported value: "Enforced": supported values: "EnforcedRollingUpdate"',
    },
    'a set with a settle time that is no number says so and is left alone': {
      set: { annotations: annotations('soon') },
      pods: [broken('web-0')],
      want: 'invalid: metadata.annotations[holdfast.dev/rollout-settle-seconds]: Invalid value: "soon": must be a whole number of seconds, 0 or more, of at most nine digits',
    },
    'a set that is being deleted is left alone': {
      set: { deleted: true },
      pods: [broken('web-0')],
      want: 'idle: the StatefulSet is being deleted',
    },
    'a spec that Kubernetes has not seen has no update revision yet': {
      set: { generation: 5, observed: 4 },
      pods: [broken('web-0')],
      want: 'waiting for Kubernetes to observe generation 5 (has seen 4)',
    },
    'a status without an update revision decides nothing': {
      set: { update: '' },
      pods: [broken('web-0')],
      want: 'waiting for Kubernetes to name the update revision',
    },
    'a set without any status decides nothing': {
      set: { metadata: { name: 'web', uid: 'web-uid', generation: 1, annotations: annotations('0') } },
      pods: [broken('web-0')],
      want: 'waiting for Kubernetes to observe generation 1 (has seen 0)',
    },
  });
});

/** Kubernetes then makes pods from the current revision, `old`, for as many ordinals as are on it. */
const withoutPartition = { rolling: false };

const comesBack =
  'blocked by web-0: Kubernetes would bring it back on its old revision old; set spec.updateStrategy.rollingUpdate.partition, such as to 0';

describe('[R1] a strategy without rollingUpdate', () => {
  table({
    'a pod that would come back on its old revision is left': {
      set: withoutPartition,
      pods: [broken('web-0'), healthy('web-1', 'old'), healthy('web-2')],
      want: comesBack,
    },
    'also when it is a pod to go that keeps the old revision alive': {
      set: withoutPartition,
      pods: [broken('web-0'), healthy('web-1'), healthy('web-2'), terminating('web-3'), healthy('web-4', 'old')],
      want: `${comesBack}; scale-down: web-3 is terminating`,
    },
    'the last pod on the old revision comes back on the new one': {
      set: withoutPartition,
      pods: [broken('web-0'), healthy('web-1')],
      want: replacedWeb0,
      removes: 'broken web-0',
    },
    'one on the old revision that is going keeps nothing alive': {
      set: withoutPartition,
      pods: [broken('web-0'), healthy('web-1'), terminating('web-7')],
      want: 'waiting for web-7: it is terminating; scale-down: web-7 is terminating',
    },
    'an ordinal above those that are kept comes back on the new one': {
      set: withoutPartition,
      pods: [healthy('web-0', 'old'), broken('web-1'), healthy('web-2')],
      want: 'deleted web-1: it was not ready on revision old, and its replacement has revision new',
      removes: 'broken web-1',
    },
    'a pod on a revision in between is no use where it is': {
      set: withoutPartition,
      pods: [broken('web-0', 'between'), healthy('web-1', 'old'), healthy('web-2', 'old')],
      want: 'deleted web-0: it was not ready on revision between, and its replacement has revision new',
      removes: 'broken web-0',
    },
  });
});

describe('[R1] replicas', () => {
  table({
    'all healthy and new: nothing to do': { pods: healthyWeb, want: upToDate },
    'all healthy, some old: Kubernetes rolls them': {
      pods: [healthy('web-0', 'old'), healthy('web-1', 'old'), healthy('web-2')],
      want: 'idle: every replica is healthy; Kubernetes rolls the rest from the highest down',
    },
    'a partition at or above the last ordinal pauses the rollout': {
      set: { partition: 3 },
      pods: [healthy('web-0', 'old'), healthy('web-1', 'old'), healthy('web-2', 'old')],
      want: 'idle: every replica is healthy; the partition holds back the rest',
    },
    'some old above and some below the partition: Kubernetes rolls those above': {
      set: { partition: 2 },
      pods: [healthy('web-0', 'old'), healthy('web-1', 'old'), healthy('web-2', 'old')],
      want: 'idle: every replica is healthy; Kubernetes rolls the rest from the highest down',
    },
    'all rolled down to the partition: it holds back the rest': {
      set: { partition: 2 },
      pods: [healthy('web-0', 'old'), healthy('web-1', 'old'), healthy('web-2')],
      want: 'idle: every replica is healthy; the partition holds back the rest',
    },
    'the lowest broken pod on an old revision is replaced': {
      pods: [broken('web-0'), broken('web-1'), broken('web-2')],
      want: replacedWeb0,
      removes: 'broken web-0',
    },
    'the order of the pods in the list does not matter': {
      pods: [broken('web-2'), broken('web-0'), broken('web-1')],
      want: replacedWeb0,
      removes: 'broken web-0',
    },
    'the only pod of a first revision that never worked is replaced': {
      pods: [broken('web-0')],
      want: replacedWeb0,
      removes: 'broken web-0',
    },
    'a broken pod behind healthy old ones is replaced first': {
      pods: [healthy('web-0', 'old'), broken('web-1'), healthy('web-2', 'old')],
      want: 'deleted web-1: it was not ready on revision old, and its replacement has revision new',
      removes: 'broken web-1',
    },
    'a pod that is Pending without any condition counts from its creation': {
      pods: [bare('web-0', 'old', -30)],
      want: replacedWeb0,
      removes: 'broken web-0',
    },
    'a pod that is Pending without any condition gets its settle time': {
      pods: [bare('web-0', 'old', -29)],
      want: `waiting for web-0: not ready and on an old revision, to be replaced at ${iso(1)}`,
      next: 1,
    },
    'a pod without a revision label is old, as for Kubernetes itself': {
      pods: [broken('web-0', '')],
      want: 'deleted web-0: it was not ready on no known revision, and its replacement has revision new',
      removes: 'broken web-0',
    },
    'a rollback replaces the pod of the bad revision': {
      set: { update: 'old' },
      pods: [healthy('web-0', 'old'), healthy('web-1', 'old'), broken('web-2', 'new')],
      want: 'deleted web-2: it was not ready on revision new, and its replacement has revision old',
      removes: 'broken web-2',
    },
    'maxUnavailable does not make us remove two at a time': {
      set: { maxUnavailable: '100%' },
      pods: [broken('web-0'), broken('web-1'), broken('web-2')],
      want: replacedWeb0,
      removes: 'broken web-0',
    },
    'ready Unknown is not ready': {
      pods: [broken('web-0', 'old', { ready: 'Unknown' })],
      want: replacedWeb0,
      removes: 'broken web-0',
    },
    'one replica is meant when the set does not say': {
      set: { metadata: statefulSet().metadata, status: { observedGeneration: 2, updateRevision: 'new' } },
      pods: [broken('web-0')],
      want: replacedWeb0,
      removes: 'broken web-0',
    },
  });
});

describe('[R1] the settle time', () => {
  const settling = (until: number) =>
    `waiting for web-0: not ready and on an old revision, to be replaced at ${iso(until)}`;
  table({
    'a pod that broke a moment ago may come back': {
      pods: [broken('web-0', 'old', { changed: -10 })],
      want: settling(20),
      next: 20,
    },
    'the last second counts': { pods: [broken('web-0', 'old', { changed: -29 })], want: settling(1), next: 1 },
    'exactly the settle time is enough': {
      pods: [broken('web-0', 'old', { changed: -30 })],
      want: replacedWeb0,
      removes: 'broken web-0',
    },
    'a crash-looping pod that was ready for a moment starts again': {
      pods: [broken('web-0', 'old', { created: -86_400, changed: -5 })],
      want: settling(25),
      next: 25,
    },
    'a transition from before the pod existed does not count': {
      pods: [broken('web-0', 'old', { created: -10, changed: -600 })],
      want: settling(20),
      next: 20,
    },
    'a settle time of 0 waits for nothing': {
      set: { annotations: annotations('0') },
      pods: [broken('web-0', 'old', { changed: 0 })],
      want: replacedWeb0,
      removes: 'broken web-0',
    },
    'a long settle time is kept': {
      set: { annotations: annotations('900') },
      pods: [broken('web-0')],
      want: settling(300),
      next: 300,
    },
    'a pod that cannot tell since when waits': {
      pods: [{ metadata: { ...broken('web-0').metadata, creationTimestamp: null } }],
      want: 'waiting for web-0: not ready and on an old revision, to be replaced once its status says since when',
    },
    'a pod whose times are no times waits': {
      pods: [{ metadata: { ...broken('web-0').metadata, creationTimestamp: 'yesterday' } }],
      want: 'waiting for web-0: not ready and on an old revision, to be replaced once its status says since when',
    },
    'with a settle time of 0 the time need not be known': {
      set: { annotations: annotations('0') },
      pods: [{ metadata: { ...broken('web-0').metadata, creationTimestamp: null } }],
      want: replacedWeb0,
      removes: 'broken web-0',
    },
  });
});

describe('waiting for what Kubernetes does by itself', () => {
  table({
    'no pod at all': { want: 'waiting for web-0: Kubernetes has not created it yet' },
    'the lowest is missing, and a broken one above it is not touched': {
      pods: [broken('web-1'), broken('web-2')],
      want: 'waiting for web-0: Kubernetes has not created it yet',
    },
    'a gap in the middle': {
      pods: [healthy('web-0'), broken('web-2')],
      want: 'waiting for web-1: Kubernetes has not created it yet',
    },
    'the last is missing': {
      pods: [healthy('web-0'), healthy('web-1')],
      want: 'waiting for web-2: Kubernetes has not created it yet',
    },
    'the lowest is terminating': {
      pods: [terminating('web-0'), broken('web-1')],
      want: 'waiting for web-0: it is terminating',
    },
    'a higher one is terminating: never two at a time': {
      pods: [broken('web-0'), healthy('web-1'), terminating('web-2')],
      want: 'waiting for web-2: it is terminating',
    },
    'a higher one is missing: Kubernetes creates it only after the lower one is repaired': {
      pods: [broken('web-0'), healthy('web-2')],
      want: replacedWeb0,
      removes: 'broken web-0',
    },
    'a Failed pod': {
      pods: [broken('web-0', 'old', { phase: 'Failed' }), broken('web-1')],
      want: 'waiting for web-0: it has finished, and Kubernetes recreates it',
    },
    'a Succeeded pod': {
      pods: [broken('web-0', 'old', { phase: 'Succeeded' })],
      want: 'waiting for web-0: it has finished, and Kubernetes recreates it',
    },
    'a Failed pod above the broken one stays until the broken one is repaired': {
      pods: [broken('web-0'), broken('web-1', 'new', { phase: 'Failed' })],
      want: replacedWeb0,
      removes: 'broken web-0',
    },
    'ready, but minReadySeconds are not over': {
      set: { minReadySeconds: 60 },
      pods: [pod('web-0', { revision: 'old', changed: -20 }), broken('web-1')],
      want: `waiting for web-0: ready, but not yet available (minReadySeconds end at ${iso(40)})`,
      next: 40,
    },
    'minReadySeconds end on the second': {
      set: { minReadySeconds: 60 },
      pods: [pod('web-0', { changed: -60 }), healthy('web-1'), healthy('web-2')],
      want: upToDate,
    },
    'ready since an unknown time is not available, as for Kubernetes itself': {
      set: { minReadySeconds: 60 },
      pods: [
        { ...healthy('web-0', 'old'), status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
      ],
      want: 'waiting for web-0: ready, but not yet available',
    },
    'ready, but restarted a moment ago: a crash loop makes it so each time': {
      pods: [pod('web-0', { revision: 'old', restarts: 4, restarted: -2 }), broken('web-1')],
      want: `waiting for web-0: ready, but restarted a moment ago (trusted at ${iso(28)})`,
      next: 28,
    },
    'ready for long enough since it was restarted': {
      pods: [pod('web-0', { revision: 'old', restarts: 4, restarted: -30 }), broken('web-1')],
      want: 'deleted web-1: it was not ready on revision old, and its replacement has revision new',
      removes: 'broken web-1',
    },
    'a pod that says it is ready is never taken for broken, even if it does not run': {
      set: { annotations: annotations('0') },
      pods: [pod('web-0', { revision: 'old', phase: 'Pending' })],
      want: 'waiting for web-0: ready, but not yet available',
    },
    'two pods with one ordinal: the view is torn': {
      pods: [broken('web-0'), { ...broken('web-0'), metadata: { ...broken('web-0').metadata, uid: 'another' } }],
      want: 'waiting for web-0: two pods of that name are in view',
    },
  });
});

describe('[R2] blocked', () => {
  const byWeb0 = 'blocked by web-0: not ready on the update revision new; fix the pod or apply another template';
  const byWeb2 = 'blocked by web-2: not ready on the update revision new; fix the pod or apply another template';
  table({
    'a broken pod on the update revision stops everything': {
      pods: [broken('web-0', 'new'), broken('web-1')],
      want: byWeb0,
    },
    'also when an old one below it breaks: the template has failed once already': {
      pods: [broken('web-0'), healthy('web-1', 'old'), broken('web-2', 'new')],
      want: byWeb2,
    },
    'a pod that starts on the update revision is not called broken at once': {
      pods: [broken('web-0', 'new', { created: -10, changed: -10 })],
      want: `waiting for web-0: not ready yet (counts as broken at ${iso(20)})`,
      next: 20,
    },
    'nothing else moves while one starts on the update revision': {
      pods: [broken('web-0'), healthy('web-1', 'old'), bare('web-2', 'new', -5)],
      want: `waiting for web-2: not ready yet (counts as broken at ${iso(25)})`,
      next: 25,
    },
    'nothing else moves while one warms up on the update revision': {
      set: { minReadySeconds: 10 },
      pods: [broken('web-0'), healthy('web-1', 'old'), pod('web-2', { changed: -4 })],
      want: `waiting for web-2: ready, but not yet available (minReadySeconds end at ${iso(6)})`,
      next: 6,
    },
    'nothing else moves while the update revision keeps one restarting, ready or not': {
      pods: [broken('web-0'), healthy('web-1', 'old'), pod('web-2', { restarts: 7, restarted: -3 })],
      want: `waiting for web-2: ready, but restarted a moment ago (trusted at ${iso(27)})`,
      next: 27,
    },
    'with a settle time of 0, too': {
      set: { annotations: annotations('0') },
      pods: [broken('web-0'), healthy('web-1', 'old'), pod('web-2', { restarts: 7, restarted: -3 })],
      want: `waiting for web-2: ready, but restarted a moment ago (trusted at ${iso(7)})`,
      next: 7,
    },
    'an old one that was restarted higher up does not hold back the repair': {
      pods: [broken('web-0'), pod('web-1', { revision: 'old', restarts: 2, restarted: -3 })],
      want: replacedWeb0,
      removes: 'broken web-0',
    },
    'an old one that warms up higher up does not hold back the repair': {
      set: { minReadySeconds: 10 },
      pods: [broken('web-0'), pod('web-1', { revision: 'old', changed: -4 })],
      want: replacedWeb0,
      removes: 'broken web-0',
    },
    'a broken pod below the partition is not ours to replace': {
      set: { partition: 1 },
      pods: [broken('web-0'), broken('web-1')],
      want: 'blocked by web-0: not ready, and the partition updates ordinals from 1 only; lower the partition or fix the pod',
    },
    'a pod below the partition gets its settle time before it is called broken': {
      set: { partition: 1 },
      pods: [broken('web-0', 'old', { changed: -10 })],
      want: `waiting for web-0: not ready yet (counts as broken at ${iso(20)})`,
      next: 20,
    },
    'a broken pod at the partition is replaced': {
      set: { partition: 1 },
      pods: [healthy('web-0', 'old'), broken('web-1')],
      want: 'deleted web-1: it was not ready on revision old, and its replacement has revision new',
      removes: 'broken web-1',
    },
    'a budget that refuses is named with its message': {
      pods: [broken('web-0'), broken('web-1')],
      deny: ['web-0'],
      want: 'blocked by web-0: its deletion is refused: budget shop says no to web-0',
    },
  });
});

describe('ordinals and names', () => {
  table({
    'ordinals may start higher': {
      set: { start: 5 },
      pods: [healthy('web-5'), broken('web-6'), healthy('web-7')],
      want: 'deleted web-6: it was not ready on revision old, and its replacement has revision new',
      removes: 'broken web-6',
    },
    'the partition counts from the first ordinal: the pod below it is held': {
      set: { start: 5, partition: 1 },
      pods: [broken('web-5')],
      want: 'blocked by web-5: not ready, and the partition updates ordinals from 6 only; lower the partition or fix the pod',
    },
    'the partition counts from the first ordinal: the pod at it is replaced': {
      set: { start: 5, partition: 1 },
      pods: [healthy('web-5', 'old'), broken('web-6')],
      want: 'deleted web-6: it was not ready on revision old, and its replacement has revision new',
      removes: 'broken web-6',
    },
    'a missing pod is named by its real ordinal': {
      set: { start: 5 },
      pods: [healthy('web-5')],
      want: 'waiting for web-6: Kubernetes has not created it yet',
    },
    'a set whose own name ends in a number has its own pods': {
      set: { name: 'web-1', replicas: 3 },
      pods: [0, 1, 2].map((ordinal) => pod(`web-1-${ordinal}`, { owner: 'web-1-uid' })),
      want: upToDate,
    },
    'pods whose name does not fit are not looked at': {
      pods: [
        ...healthyWeb,
        broken('web-1-2'),
        broken('web-01'),
        broken('web-x'),
        broken('web-'),
        broken('web-9999999999'),
        broken('db-0'),
      ],
      want: upToDate,
    },
    'pods without an owner are not looked at': {
      pods: [...healthyWeb, { metadata: { name: 'web-3', uid: 'u', resourceVersion: '1' } }],
      want: upToDate,
    },
    'a pod without any label is old': {
      pods: [{ metadata: withoutLabels(broken('web-0').metadata) }],
      want: 'deleted web-0: it was not ready on no known revision, and its replacement has revision new',
      removes: 'broken web-0',
    },
    'a strategy without parameters has no partition': {
      set: { ...statefulSet(), spec: { replicas: 3, updateStrategy: { type: 'RollingUpdate' } } },
      pods: [broken('web-0')],
      want: replacedWeb0,
      removes: 'broken web-0',
    },
    'pods of another owner are not looked at': {
      pods: [...healthyWeb, broken('web-4', 'old', { owner: 'other' })],
      want: upToDate,
    },
    'a pod that cannot be removed under preconditions is not looked at': {
      pods: [
        { ...broken('web-0'), metadata: { ...broken('web-0').metadata, resourceVersion: undefined } } as unknown as Pod,
      ],
      want: 'waiting for web-0: Kubernetes has not created it yet',
    },
    'tens and units are ordered as numbers': {
      set: { replicas: 12 },
      pods: [
        ...Array.from({ length: 9 }, (_, ordinal) => healthy(`web-${ordinal}`)),
        broken('web-10'),
        broken('web-9'),
        broken('web-11'),
      ],
      want: 'deleted web-9: it was not ready on revision old, and its replacement has revision new',
      removes: 'broken web-9',
    },
    'a huge set costs no more than its pods': {
      set: { replicas: 2_147_483_647 },
      pods: [healthy('web-0')],
      want: 'waiting for web-1: Kubernetes has not created it yet',
    },
  });
});

test('a removal carries what its preconditions need', () => {
  const plan = planEnforcedRollout(
    statefulSet(),
    [broken('web-0'), healthy('web-1')],
    () => ({ result: 'allow' }),
    noon,
  );
  const wanted = { why: 'broken', pod: 'web-0', ordinal: 0, uid: 'uid-of-web-0', resourceVersion: '7' };
  expect(plan.removal).toEqual(wanted);
});

test('a set without a uid controls nothing', () => {
  const { uid: _, ...metadata } = statefulSet().metadata;
  const { ownerReferences: __, ...orphan } = broken('web-0').metadata;
  const plan = planEnforcedRollout(
    { ...statefulSet(), metadata },
    [{ metadata: orphan }],
    () => ({ result: 'allow' }),
    noon,
  );
  expect(plan).toEqual({ state: { kind: 'waiting', why: 'missing', pod: 'web-0' } });
});
