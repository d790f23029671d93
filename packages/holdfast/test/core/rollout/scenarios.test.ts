import { describe, expect, test } from 'vitest';
import { applyTemplate, type ModelCluster, type ModelSet, modelCluster, note } from './model-cluster.ts';
import { isSettled, simulate } from './simulation.ts';

const enforced = { 'holdfast.dev/update-strategy': 'EnforcedRollingUpdate' };

/** A set whose first template never worked, seen for a minute. */
function brokenFromTheStart(set: Partial<ModelSet>): ModelCluster {
  const cluster = modelCluster(set);
  note(cluster, 'user applies v1 (does not work)');
  simulate(cluster, { seconds: 60 });
  return cluster;
}

/** A set that worked until the template v2 came. */
function brokenByUpdate(set: Partial<ModelSet>): ModelCluster {
  const cluster = modelCluster(set, ['v1']);
  simulate(cluster, { seconds: 60 });
  cluster.log.length = 0;
  applyTemplate(cluster, 'v2', false);
  simulate(cluster, { seconds: 60 });
  return cluster;
}

describe('the scenarios of the proposal', () => {
  test('with RollingUpdate a broken set does not recover when a fixed template is applied', () => {
    const cluster = brokenFromTheStart({});
    applyTemplate(cluster, 'v2', true);
    simulate(cluster, { seconds: 3600 });
    expect(cluster.log).toEqual([
      '12:00:00 user applies v1 (does not work)',
      '12:00:00 kubernetes creates web-0 from v1',
      '12:00:00 holdfast off: annotate with holdfast.dev/update-strategy: EnforcedRollingUpdate to opt in',
      '12:01:00 user applies v2',
      '12:01:00 holdfast off: annotate with holdfast.dev/update-strategy: EnforcedRollingUpdate to opt in',
    ]);
    expect(isSettled(cluster)).toBe(false);
  });

  test('with EnforcedRollingUpdate a broken set recovers when a fixed template is applied', () => {
    const cluster = brokenFromTheStart({ annotations: enforced });
    applyTemplate(cluster, 'v2', true);
    simulate(cluster, { seconds: 3600 });
    expect(cluster.log).toEqual([
      '12:00:00 user applies v1 (does not work)',
      '12:00:00 kubernetes creates web-0 from v1',
      '12:00:00 holdfast waiting for web-0: not ready yet (counts as broken at 12:00:30)',
      '12:00:30 holdfast blocked by web-0: not ready on the update revision v1; fix the pod or apply another template',
      '12:01:00 user applies v2',
      '12:01:00 holdfast deleted web-0: it was not ready on revision v1, and its replacement has revision v2',
      '12:01:01 holdfast waiting for web-0: it is terminating',
      '12:01:02 kubernetes creates web-0 from v2',
      '12:01:02 holdfast waiting for web-0: not ready yet (counts as broken at 12:01:32)',
      '12:01:05 kubernetes creates web-1 from v2',
      '12:01:05 holdfast waiting for web-1: not ready yet (counts as broken at 12:01:35)',
      '12:01:08 kubernetes creates web-2 from v2',
      '12:01:08 holdfast waiting for web-2: not ready yet (counts as broken at 12:01:38)',
    ]);
    expect(isSettled(cluster)).toBe(true);
  });

  test('with EnforcedRollingUpdate a broken set does not roll on when another template that does not work is applied', () => {
    const cluster = brokenByUpdate({ annotations: enforced });
    applyTemplate(cluster, 'v3', false);
    simulate(cluster, { seconds: 3600 });
    expect(cluster.log).toEqual([
      '12:00:09 user applies v2 (does not work)',
      '12:00:09 kubernetes deletes web-2 (v1) to update it',
      '12:00:09 holdfast waiting for web-2: it is terminating',
      '12:00:11 kubernetes creates web-2 from v2',
      '12:00:11 holdfast waiting for web-2: not ready yet (counts as broken at 12:00:41)',
      '12:00:41 holdfast blocked by web-2: not ready on the update revision v2; fix the pod or apply another template',
      '12:01:09 user applies v3 (does not work)',
      '12:01:09 holdfast deleted web-2: it was not ready on revision v2, and its replacement has revision v3',
      '12:01:10 holdfast waiting for web-2: it is terminating',
      '12:01:11 kubernetes creates web-2 from v3',
      '12:01:11 holdfast waiting for web-2: not ready yet (counts as broken at 12:01:41)',
      '12:01:41 holdfast blocked by web-2: not ready on the update revision v3; fix the pod or apply another template',
    ]);
    expect(cluster.pods.map((pod) => pod.revision)).toEqual(['v1', 'v1', 'v3']);
  });

  test.each([
    ['RollingUpdate', {}, 'annotate with holdfast.dev/update-strategy: EnforcedRollingUpdate to opt in'],
    ['EnforcedRollingUpdate', enforced, 'with podManagementPolicy Parallel, Kubernetes does not wait for broken pods'],
  ])('with %s and Parallel a broken set recovers when a fixed template is applied', (_, annotations, why) => {
    const cluster = brokenFromTheStart({ parallel: true, annotations, replicas: 2 });
    cluster.log.length = 0;
    applyTemplate(cluster, 'v2', true);
    simulate(cluster, { seconds: 3600 });
    expect(cluster.log).toEqual([
      '12:01:00 user applies v2',
      '12:01:00 kubernetes deletes web-1 (v1) to update it',
      '12:01:00 kubernetes deletes web-0 (v1) to update it',
      `12:01:00 holdfast off: ${why}`,
      '12:01:02 kubernetes creates web-0 from v2',
      '12:01:02 kubernetes creates web-1 from v2',
    ]);
    expect(isSettled(cluster)).toBe(true);
  });
});

describe('what operators meet beside that', () => {
  test('a rollback repairs the one pod that the bad template reached', () => {
    const cluster = brokenByUpdate({ annotations: enforced });
    cluster.log.length = 0;
    applyTemplate(cluster, 'v1', true);
    simulate(cluster, { seconds: 3600 });
    expect(cluster.log).toEqual([
      '12:01:09 user applies v1',
      '12:01:09 holdfast deleted web-2: it was not ready on revision v2, and its replacement has revision v1',
      '12:01:10 holdfast waiting for web-2: it is terminating',
      '12:01:11 kubernetes creates web-2 from v1',
      '12:01:11 holdfast waiting for web-2: not ready yet (counts as broken at 12:01:41)',
    ]);
    expect(isSettled(cluster)).toBe(true);
  });

  test('a fixed template repairs the broken pods from the lowest up, then Kubernetes rolls the healthy ones', () => {
    const cluster = modelCluster({ annotations: enforced, update: 'v2' }, ['v2']);
    const never = Number.POSITIVE_INFINITY;
    for (const [ordinal, readyAt] of [-600, never, never].entries()) {
      cluster.pods.push({ uid: `a${ordinal}`, ordinal, revision: 'v1', created: -900, readyAt, failed: false });
    }
    simulate(cluster, { seconds: 3600 });
    expect(cluster.log.filter((line) => !line.includes('waiting'))).toEqual([
      '12:00:00 holdfast deleted web-1: it was not ready on revision v1, and its replacement has revision v2',
      '12:00:02 kubernetes creates web-1 from v2',
      '12:00:05 holdfast deleted web-2: it was not ready on revision v1, and its replacement has revision v2',
      '12:00:07 kubernetes creates web-2 from v2',
      '12:00:10 kubernetes deletes web-0 (v1) to update it',
      '12:00:12 kubernetes creates web-0 from v2',
    ]);
    expect(isSettled(cluster)).toBe(true);
  });

  test('a set that does not work can be scaled to zero', () => {
    const cluster = modelCluster({ annotations: enforced, replicas: 0 });
    const never = Number.POSITIVE_INFINITY;
    for (const ordinal of [0, 1]) {
      cluster.pods.push({ uid: `a${ordinal}`, ordinal, revision: 'v1', created: -900, readyAt: never, failed: false });
    }
    simulate(cluster, { seconds: 3600 });
    const idle = 'holdfast idle: spec.replicas is 0';
    expect(cluster.log).toEqual([
      `12:00:00 ${idle}; scale-down: deleted web-1 without waiting for web-0`,
      `12:00:01 ${idle}; scale-down: web-1 is terminating`,
      '12:00:02 kubernetes deletes web-0 (v1) to scale down',
      `12:00:02 ${idle}; scale-down: web-0 is terminating`,
      `12:00:04 ${idle}`,
    ]);
    expect(cluster.pods).toEqual([]);
  });

  test('a repair goes before a scale-down, one pod at a time', () => {
    const cluster = brokenByUpdate({ annotations: enforced });
    cluster.log.length = 0;
    cluster.set.replicas = 1;
    cluster.pods.push({ uid: 'b0', ordinal: 3, revision: 'v1', created: -900, readyAt: -600, failed: false });
    cluster.pods = cluster.pods.map((pod) => (pod.ordinal === 0 ? { ...pod, readyAt: Number.POSITIVE_INFINITY } : pod));
    applyTemplate(cluster, 'v3', true);
    simulate(cluster, { seconds: 3600 });
    expect(cluster.log.filter((line) => !line.includes('idle'))).toEqual([
      '12:01:09 user applies v3',
      '12:01:09 holdfast deleted web-0: it was not ready on revision v1, and its replacement has revision v3; scale-down: web-3 is deleted after web-0',
      '12:01:10 holdfast waiting for web-0: it is terminating; scale-down: Kubernetes deletes web-3 next',
      '12:01:11 kubernetes creates web-0 from v3',
      '12:01:11 holdfast waiting for web-0: not ready yet (counts as broken at 12:01:41); scale-down: Kubernetes deletes web-3 next',
      '12:01:14 kubernetes deletes web-3 (v1) to scale down',
      '12:01:16 kubernetes deletes web-2 (v2) to scale down',
      '12:01:18 kubernetes deletes web-1 (v1) to scale down',
    ]);
    expect(isSettled(cluster)).toBe(true);
  });

  test('a budget that refuses holds the repair until it agrees', () => {
    const cluster = brokenFromTheStart({ annotations: enforced, replicas: 1 });
    cluster.log.length = 0;
    applyTemplate(cluster, 'v2', true);
    const agrees = () => cluster.now >= 70;
    simulate(cluster, {
      seconds: 3600,
      verdictOf: () => (agrees() ? { result: 'allow' } : { result: 'deny', message: 'needs 1 and has 1' }),
      budgetVersion: () => String(agrees()),
    });
    expect(cluster.log.filter((line) => !line.includes('waiting'))).toEqual([
      '12:01:00 user applies v2',
      '12:01:00 holdfast blocked by web-0: its deletion is refused: needs 1 and has 1',
      '12:01:10 holdfast deleted web-0: it was not ready on revision v1, and its replacement has revision v2',
      '12:01:12 kubernetes creates web-0 from v2',
    ]);
    expect(isSettled(cluster)).toBe(true);
  });
});
