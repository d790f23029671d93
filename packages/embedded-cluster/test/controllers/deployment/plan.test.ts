import { describe, expect, it } from 'vitest';
import type { DeploymentObject, ReplicaSetObject } from '../../../src/controllers/common/workloads.ts';
import { desiredStateOf } from '../../../src/controllers/deployment/deployment-fields.ts';
import { makeNew, sameTemplate } from '../../../src/controllers/deployment/new-replica-set.ts';
import { planDeployment } from '../../../src/controllers/deployment/plan-deployment.ts';
import { finishReplicaSet } from '../../../src/controllers/deployment/replica-set-draft.ts';
import { deployment, template } from '../workloads.ts';

const nowMs = Date.parse('2026-01-01T00:00:00Z');

function owner(spec: Partial<DeploymentObject['spec']> = {}): DeploymentObject {
  const made = deployment('web', { replicas: 10, ...spec });
  made.metadata.uid = 'owner';
  return made;
}

/** A replica set as an earlier pass has left it. */
function existing(image: string, replicas: number, available: number, age: number, spec = {}): ReplicaSetObject {
  const source = owner({ template: template(image), ...spec });
  const made = finishReplicaSet(makeNew(source, desiredStateOf(source), []));
  made.spec = { ...made.spec, replicas };
  made.metadata = { ...made.metadata, uid: image, creationTimestamp: `2025-12-0${age}T00:00:00Z`, generation: 1 };
  made.status = { replicas, availableReplicas: available, readyReplicas: available, observedGeneration: 1 };
  return made;
}

const limits = (maxSurge: number | string, maxUnavailable: number | string): Partial<DeploymentObject['spec']> => ({
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
});

function sizesAfter(made: DeploymentObject, sets: readonly ReplicaSetObject[]): Record<string, number | undefined> {
  const { writes } = planDeployment({ deployment: made, replicaSets: sets, withPods: new Set(), nowMs });
  return Object.fromEntries(
    writes.map(({ replicaSet }) => [replicaSet.spec.template?.spec?.containers[0]?.image, replicaSet.spec.replicas]),
  );
}

describe('limits of a rollout', () => {
  it.each([
    ['25%', '25%', 10, 3, 2],
    ['0%', '0%', 10, 0, 1],
    [1, 0, 10, 1, 0],
    ['10%', '10%', 1, 1, 0],
    [0, 5, 3, 0, 3],
  ])('surge %s, unavailable %s of %i are %i and %i', (maxSurge, maxUnavailable, replicas, surge, unavailable) => {
    const wishes = desiredStateOf(owner({ replicas, ...limits(maxSurge, maxUnavailable) }));
    expect([wishes.maxSurge, wishes.maxUnavailable]).toEqual([surge, unavailable]);
  });
});

describe('one step of a Deployment', () => {
  const rolled = owner({ template: template('new:1'), ...limits(3, 2) });

  it.each<[string, ReplicaSetObject[], Record<string, number>]>([
    [
      'makes the new set as large as the surge, and takes from the old',
      [existing('old:1', 10, 10, 1, limits(3, 2))],
      { 'new:1': 3, 'old:1': 8 },
    ],
    [
      'takes from the old what may be missing',
      [existing('old:1', 10, 10, 1, limits(3, 2)), existing('new:1', 3, 0, 2, limits(3, 2))],
      { 'old:1': 8 },
    ],
    [
      'does nothing while new pods are not available',
      [existing('old:1', 8, 8, 1, limits(3, 2)), existing('new:1', 5, 0, 2, limits(3, 2))],
      {},
    ],
    [
      'takes broken old pods first, from the oldest set',
      [
        existing('older:1', 4, 0, 1, limits(3, 2)),
        existing('old:1', 6, 6, 2, limits(3, 2)),
        existing('new:1', 3, 3, 3, limits(3, 2)),
      ],
      { 'older:1': 0, 'old:1': 5 },
    ],
    [
      'grows the new set when there is room',
      [existing('old:1', 4, 4, 1, limits(3, 2)), existing('new:1', 7, 4, 2, limits(3, 2))],
      { 'new:1': 9 },
    ],
  ])('%s', (_, sets, expected) => {
    for (const set of sets) {
      const revision = set.spec.template?.spec?.containers[0]?.image === 'new:1' ? '9' : '1';
      set.metadata.annotations = { ...set.metadata.annotations, 'deployment.kubernetes.io/revision': revision };
    }
    expect(sizesAfter(rolled, sets)).toEqual(expected);
  });

  it('does not trust the status of a set that was just made smaller', () => {
    const old = existing('old:1', 8, 10, 1, limits(3, 2));
    const latest = existing('new:1', 3, 1, 2, limits(3, 2));
    latest.metadata.annotations = { ...latest.metadata.annotations, 'deployment.kubernetes.io/revision': '9' };
    const full = owner({ template: template('new:1'), ...limits(1, 2) });
    expect(sizesAfter(full, [old, latest])).toEqual({ 'old:1': 7 });
  });

  it('writes the new set before it touches the old ones', () => {
    const { writes } = planDeployment({
      deployment: rolled,
      replicaSets: [existing('old:1', 10, 10, 1, limits(3, 2))],
      withPods: new Set(),
      nowMs,
    });
    expect(writes.map(({ kind }) => kind)).toEqual(['create', 'update']);
  });

  it('goes on from a revision that is too large for a number', () => {
    const old = existing('old:1', 10, 10, 1, limits(3, 2));
    const annotations = { 'deployment.kubernetes.io/revision': '3546343826724305832' };
    old.metadata.annotations = { ...old.metadata.annotations, ...annotations };
    const { revision } = planDeployment({ deployment: rolled, replicaSets: [old], withPods: new Set(), nowMs });
    expect(revision).toBe('3546343826724305833');
  });

  it('compares templates without the hash', () => {
    expect(sameTemplate(existing('a:1', 1, 1, 1).spec.template, template('a:1'))).toBe(true);
    expect(sameTemplate(existing('a:1', 1, 1, 1).spec.template, template('b:1'))).toBe(false);
  });

  it('hands minReadySeconds on', () => {
    const set = existing('app:1', 10, 10, 1);
    const { writes } = planDeployment({
      deployment: owner({ minReadySeconds: 5 }),
      replicaSets: [set],
      withPods: new Set(),
      nowMs,
    });
    expect(writes).toMatchObject([{ kind: 'update', event: undefined, replicaSet: { spec: { minReadySeconds: 5 } } }]);
  });

  it('is quiet without a deadline', () => {
    const made = owner({ progressDeadlineSeconds: 2_147_483_647 });
    const { status, requeueMs } = planDeployment({ deployment: made, replicaSets: [], withPods: new Set(), nowMs });
    expect(status.conditions?.map(({ type }) => type)).toEqual(['Available']);
    expect(requeueMs).toBeUndefined();
  });
});
