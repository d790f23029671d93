import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../../test/support/effort.ts';
import type { Pod, PodPhase } from '../../../src/api/pod.ts';
import { formatRolloutState, maxRolloutStateLength } from '../../../src/core/rollout/format.ts';
import { planEnforcedRollout } from '../../../src/core/rollout/plan-rollout.ts';
import { noon, pod, type SetShape, statefulSet } from './builders.ts';

const moment = fc.integer({ min: -90, max: 30 });

const anyPod: fc.Arbitrary<Pod> = fc
  .record({
    ordinal: fc.integer({ min: 0, max: 7 }),
    revision: fc.constantFrom('', 'old', 'new'),
    phase: fc.constantFrom<PodPhase>('Pending', 'Running', 'Failed', 'Succeeded', 'Unknown'),
    ready: fc.constantFrom('True' as const, 'False' as const, 'Unknown' as const),
    created: moment,
    changed: moment,
    gone: fc.option(moment, { nil: undefined, freq: 5 }),
    bare: fc.boolean(),
  })
  .map(({ ordinal, gone, bare, ...shape }) => {
    const made = pod(`web-${ordinal}`, { ...shape, ...(gone === undefined ? {} : { gone }) });
    return bare ? { metadata: made.metadata } : made;
  });

const anySet: fc.Arbitrary<SetShape> = fc.record({
  replicas: fc.integer({ min: 0, max: 6 }),
  start: fc.integer({ min: 0, max: 2 }),
  partition: fc.integer({ min: 0, max: 7 }),
  minReadySeconds: fc.constantFrom(0, 20),
  annotations: fc.constantFrom('0', '30').map((settle) => ({
    'holdfast.dev/update-strategy': 'EnforcedRollingUpdate',
    'holdfast.dev/rollout-settle-seconds': settle,
  })),
});

const anyPods = fc.uniqueArray(anyPod, { selector: ({ metadata }) => metadata.name, maxLength: 8 });

test('a plan is small, in the future, explained, and asks budgets only about what it would remove', () => {
  fc.assert(
    fc.property(anySet, anyPods, fc.boolean(), (shape, pods, allow) => {
      const asked: string[] = [];
      const plan = planEnforcedRollout(
        statefulSet(shape),
        pods,
        ({ metadata }) => {
          asked.push(metadata.name);
          return allow ? { result: 'allow' } : { result: 'deny', message: 'no' };
        },
        noon,
      );
      const { removal } = plan;
      if (allow) expect(asked).toEqual(removal === undefined ? [] : [removal.pod]);
      else expect(removal).toBeUndefined();
      if (removal !== undefined) expect(pods.filter(({ metadata }) => metadata.deletionTimestamp)).toEqual([]);
      if (plan.nextCheckAt !== undefined) expect(plan.nextCheckAt).toBeGreaterThan(noon);
      const text = formatRolloutState(plan.state);
      expect(text.length).toBeLessThan(maxRolloutStateLength);
      for (const name of asked) expect(text).toContain(name);
    }),
    { numRuns: runs({ short: 600, long: 3_000 }) },
  );
});

test('the order in which pods are listed changes nothing', () => {
  const shuffled = anyPods.chain((pods) =>
    fc.tuple(fc.constant(pods), fc.shuffledSubarray(pods, { minLength: pods.length })),
  );
  fc.assert(
    fc.property(anySet, shuffled, (shape, [pods, others]) => {
      const plan = (list: readonly Pod[]) =>
        planEnforcedRollout(statefulSet(shape), list, () => ({ result: 'allow' }), noon);
      expect(plan(others)).toEqual(plan(pods));
    }),
    { numRuns: 1_000 },
  );
});

test('before the moment that a plan names, nothing changes by time alone', () => {
  const elapsed = fc.integer({ min: 1, max: 120 });
  fc.assert(
    fc.property(anySet, anyPods, elapsed, (shape, pods, seconds) => {
      const plan = (now: number) => planEnforcedRollout(statefulSet(shape), pods, () => ({ result: 'allow' }), now);
      const first = plan(noon);
      const later = noon + seconds * 1000;
      fc.pre(first.removal === undefined && later < (first.nextCheckAt ?? Number.POSITIVE_INFINITY));
      expect(plan(later).removal).toBeUndefined();
    }),
    { numRuns: runs({ short: 1_000, long: 5_000 }) },
  );
});
