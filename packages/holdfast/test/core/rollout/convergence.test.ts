import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../../test/support/effort.ts';
import type { Removal } from '../../../src/core/rollout/state.ts';
import { isReplica, type ModelCluster, type ModelPod, modelCluster } from './model-cluster.ts';
import { wrongWith } from './removal-rules.ts';
import { isSettled, simulate } from './simulation.ts';

/** More than any mixture below needs: ten pods, each with settle, start, grace and minReady times, twice over. */
const longEnough = 2_000;

interface Slot {
  readonly there: boolean;
  readonly revision: string;
  readonly state: 'ready' | 'broken' | 'terminating' | 'failed';
  readonly age: number;
}

interface Mixture {
  readonly start: number;
  readonly replicas: number;
  readonly partition: number;
  readonly maxUnavailable: number;
  readonly minReadySeconds: number;
  readonly settle: number;
  readonly denySeconds: number;
  /** One for each ordinal from 0, so that some are condemned below the first ordinal and some above the last. */
  readonly slots: readonly Slot[];
}

const slot: fc.Arbitrary<Slot> = fc.record({
  there: fc.boolean().chain((there) => (there ? fc.constant(true) : fc.boolean())),
  revision: fc.constantFrom('v1', 'v2', 'v3', 'v3', ''),
  state: fc.constantFrom('ready', 'ready', 'broken', 'broken', 'terminating', 'failed'),
  age: fc.integer({ min: 0, max: 60 }),
});

const mixture: fc.Arbitrary<Mixture> = fc.record({
  start: fc.integer({ min: 0, max: 2 }),
  replicas: fc.integer({ min: 0, max: 5 }),
  partition: fc.constantFrom(0, 0, 1, 2, 9),
  maxUnavailable: fc.integer({ min: 1, max: 3 }),
  minReadySeconds: fc.constantFrom(0, 0, 2, 40),
  settle: fc.constantFrom(0, 5, 30),
  denySeconds: fc.constantFrom(0, 0, 50),
  slots: fc.array(slot, { minLength: 0, maxLength: 10 }),
});

const update = 'v3';

function clusterOf(mix: Mixture, fixed: boolean): ModelCluster {
  const cluster = modelCluster(
    {
      ...mix,
      current: 'v2',
      update,
      annotations: {
        'holdfast.dev/update-strategy': 'EnforcedRollingUpdate',
        'holdfast.dev/rollout-settle-seconds': String(mix.settle),
      },
    },
    // Below the partition pods come back from the current revision, which worked; the old pods themselves stay broken.
    fixed ? ['v2', update] : ['v2'],
  );
  for (const [ordinal, shape] of mix.slots.entries()) {
    if (shape.there) cluster.pods.push(podOf(mix, ordinal, shape, fixed));
  }
  return cluster;
}

function podOf(mix: Mixture, ordinal: number, { revision, state, age }: Slot, fixed: boolean): ModelPod {
  // A fixed template makes its own pods ready in the end. Old pods below the partition cannot be repaired at all.
  const recovers = fixed && revision === update;
  const beyondRepair = fixed && ordinal >= mix.start && ordinal < mix.start + mix.partition;
  const brokenReadyAt = recovers || beyondRepair ? age / 2 : Number.POSITIVE_INFINITY;
  return {
    uid: `first-${ordinal}`,
    ordinal,
    revision,
    created: -age,
    readyAt: state === 'broken' ? brokenReadyAt : -age,
    failed: state === 'failed',
    ...(state === 'terminating' ? { goneAt: 1 + (age % 10) } : {}),
  };
}

interface Outcome {
  readonly removals: readonly Removal[];
  readonly complaints: readonly string[];
}

function run(cluster: ModelCluster, mix: Mixture): Outcome {
  const removals: Removal[] = [];
  const complaints: string[] = [];
  const agrees = () => cluster.now >= mix.denySeconds;
  simulate(cluster, {
    seconds: longEnough,
    verdictOf: () => (agrees() ? { result: 'allow' } : { result: 'deny', message: 'not now' }),
    budgetVersion: () => String(agrees()),
    onRemoval: (seen, removal) => {
      removals.push(removal);
      const target = seen.pods.find(({ uid }) => uid === removal.uid);
      const wrong = target === undefined ? ['is not there'] : wrongWith(seen, target, removal.why);
      complaints.push(...wrong.map((one) => `${removal.pod} at ${seen.now}: ${one}`));
    },
  });
  return { removals, complaints };
}

test('[R1] from any mixture a fixed template ends with every replica healthy, and nothing is removed that must not be', () => {
  fc.assert(
    fc.property(mixture, (mix) => {
      const cluster = clusterOf(mix, true);
      const { complaints } = run(cluster, mix);
      expect(complaints).toEqual([]);
      expect(isSettled(cluster), cluster.log.join('\n')).toBe(true);
    }),
    { numRuns: runs({ short: 200, long: 1_000 }) },
  );
});

test('[R2] a template that does not work costs at most one broken replica, and a scale-down still ends', () => {
  fc.assert(
    fc.property(mixture, (mix) => {
      const cluster = clusterOf(mix, false);
      const { removals, complaints } = run(cluster, mix);
      expect(complaints).toEqual([]);
      expect(removals.filter((removal) => removal.why === 'broken').length).toBeLessThanOrEqual(1);
      expect(cluster.pods.filter((pod) => !isReplica(cluster, pod))).toEqual([]);
    }),
    { numRuns: runs({ short: 100, long: 300 }) },
  );
});

test('the built-in controller alone stays stuck in some of these mixtures, so the model does know the trap', () => {
  const stuck = fc.sample(mixture, { numRuns: 300, seed: 1 }).filter((mix) => {
    const cluster = clusterOf(mix, true);
    cluster.set.annotations = {};
    simulate(cluster, { seconds: longEnough });
    return !isSettled(cluster);
  });
  expect(stuck.length).toBeGreaterThan(30);
});
