import { describe, expect, it } from 'vitest';
import { newRevision, revisionHashLabel } from '../../../src/controllers/common/history.ts';
import type { ClaimObject, PodObject, StatefulSetObject } from '../../../src/controllers/common/workloads.ts';
import { podNameLabel } from '../../../src/controllers/statefulset/ordinals.ts';
import { planStatefulSet, type SetAction } from '../../../src/controllers/statefulset/plan-stateful-set.ts';
import { pod, ready, statefulSet, template } from '../workloads.ts';

const nowMs = Date.parse('2026-01-02T00:00:00Z');

function set(spec: Partial<StatefulSetObject['spec']> = {}): StatefulSetObject {
  const made = statefulSet('db', spec);
  made.metadata.uid = 'set';
  return made;
}

const older = newRevision(set({ template: template('app:1') }), 1, 0);
const newer = newRevision(set({ template: template('app:2') }), 2, 0);

type State = 'ready' | 'unready' | 'pending' | 'failed' | 'leaving';

/** `old:ready` is a pod of the current revision that is ready. */
function member(ordinal: number, description: string): PodObject {
  const [age, state] = description.split(':') as ['old' | 'new', State];
  const name = `db-${ordinal}`;
  const phases = { ready: 'Running', unready: 'Running', pending: 'Pending', failed: 'Failed', leaving: 'Running' };
  const serves = state === 'ready' || state === 'leaving';
  const made = pod(name, { nodeName: 'a' }, serves ? ready() : { phase: phases[state] });
  made.metadata.labels = {
    app: 'web',
    [podNameLabel]: name,
    [revisionHashLabel]: (age === 'old' ? older : newer).metadata.name,
  };
  if (state === 'leaving') made.metadata.deletionTimestamp = '2026-01-02T00:00:30Z';
  return made;
}

function plan(
  spec: Partial<StatefulSetObject['spec']>,
  pods: readonly string[],
  options: { gate?: boolean; claims?: Record<string, ClaimObject> } = {},
) {
  return planStatefulSet({
    set: set({ template: template('app:2'), ...spec }),
    pods: pods.flatMap((description, ordinal) => (description ? [member(ordinal, description)] : [])),
    current: older,
    update: newer,
    collisions: 0,
    claim: (name) => options.claims?.[name],
    nowMs,
    maxUnavailableGate: options.gate ?? true,
  });
}

function say(action: SetAction): string {
  if (action.kind === 'warn') return `warn ${action.reason}`;
  if (action.kind === 'createClaim' || action.kind === 'updateClaim')
    return `${action.kind} ${action.claim.metadata.name}`;
  return `${action.kind} ${action.pod.metadata.name}`;
}

const rolling = (fields: object): Partial<StatefulSetObject['spec']> => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0, ...fields } },
});
const parallel = { podManagementPolicy: 'Parallel' };

describe('a pass over a StatefulSet', () => {
  it.each<[string, Partial<StatefulSetObject['spec']>, string[], string[]]>([
    ['creates the first pod only', {}, [], ['createPod db-0']],
    ['creates all pods in parallel', parallel, [], ['createPod db-0', 'createPod db-1', 'createPod db-2']],
    ['waits for a pod that is not ready', {}, ['old:ready', 'old:unready'], []],
    ['waits for a pod that leaves', {}, ['old:leaving', 'old:ready'], []],
    ['deletes a failed pod and goes no further', {}, ['old:failed', ''], ['deletePod db-0']],
    [
      'deletes a failed pod and creates others in parallel',
      { ...parallel, replicas: 2 },
      ['old:failed', ''],
      ['deletePod db-0', 'createPod db-1'],
    ],
    ['updates the highest stale pod', {}, ['old:ready', 'old:ready', 'old:ready'], ['deletePod db-2']],
    ['waits for an updated pod', {}, ['old:ready', 'old:ready', 'new:unready'], []],
    ['does not replace a stale pod that is broken', {}, ['old:ready', 'old:unready', 'old:ready'], []],
    [
      'replaces stale broken pods in parallel, and no healthy one',
      parallel,
      ['old:ready', 'old:unready', 'old:unready'],
      ['deletePod db-2', 'deletePod db-1'],
    ],
    ['keeps to the partition', rolling({ partition: 2 }), ['old:ready', 'old:ready', 'new:ready'], []],
    [
      'spends its budget from the top',
      rolling({ maxUnavailable: 2 }),
      ['old:ready', 'old:ready', 'old:ready'],
      ['deletePod db-2', 'deletePod db-1'],
    ],
    [
      'rounds the budget down, but not to nothing',
      rolling({ maxUnavailable: '50%' }),
      ['old:ready', 'old:ready', 'old:ready'],
      ['deletePod db-2'],
    ],
    [
      'spends what is left of its budget in parallel',
      { ...parallel, ...rolling({ maxUnavailable: 2 }) },
      ['old:ready', 'old:ready', 'new:unready'],
      ['deletePod db-1'],
    ],
    [
      'removes the highest pod out of range',
      { replicas: 1 },
      ['new:ready', 'new:ready', 'new:ready'],
      ['deletePod db-2'],
    ],
    [
      'removes no pod while another out of range is broken',
      { replicas: 1 },
      ['new:ready', 'new:unready', 'new:unready'],
      [],
    ],
    [
      'removes the broken pod when it is the only one',
      { replicas: 1 },
      ['new:ready', 'new:ready', 'new:unready'],
      ['deletePod db-2'],
    ],
    ['waits for a pod out of range to leave', { replicas: 1 }, ['new:ready', 'new:ready', 'new:leaving'], []],
    [
      'removes all pods out of range in parallel',
      { ...parallel, replicas: 1 },
      ['new:ready', 'new:ready', 'new:unready'],
      ['deletePod db-2', 'deletePod db-1'],
    ],
    [
      'replaces nothing by itself with OnDelete',
      { updateStrategy: { type: 'OnDelete' } },
      ['old:ready', 'old:ready', 'old:ready'],
      [],
    ],
  ])('%s', (_, spec, pods, expected) => {
    expect(plan(spec, pods).actions.map(say)).toEqual(expected);
  });

  it.each([
    [
      'one pod, however much may be unavailable',
      rolling({ maxUnavailable: 3 }),
      ['old:ready', 'old:ready', 'old:ready'],
      ['deletePod db-2'],
    ],
    [
      'a stale pod in parallel, healthy or not',
      parallel,
      ['old:ready', 'old:ready', 'old:unready'],
      ['deletePod db-2'],
    ],
    ['nothing below a pod that is not healthy yet', parallel, ['old:ready', 'old:ready', 'new:unready'], []],
  ])('without the gate updates %s', (_, spec, pods, expected) => {
    expect(plan(spec, pods, { gate: false }).actions.map(say)).toEqual(expected);
  });

  it('creates pods below the partition from the current revision, others from the new one', () => {
    const made = plan({ ...parallel, ...rolling({ partition: 1 }) }, []).actions;
    const images = made.map((action) => (action.kind === 'createPod' ? action.pod.spec.containers[0]?.image : ''));
    expect(images).toEqual(['app:1', 'app:2', 'app:2']);
  });

  it('puts a lost identity label back', () => {
    const input = member(0, 'new:ready');
    input.metadata.labels = { app: 'web', [revisionHashLabel]: newer.metadata.name };
    const made = planStatefulSet({
      set: set({ replicas: 1 }),
      pods: [input],
      current: newer,
      update: newer,
      collisions: 0,
      claim: () => undefined,
      nowMs,
      maxUnavailableGate: true,
    });
    expect(made.actions.map(say)).toEqual(['updatePod db-0']);
  });

  it('counts given up pods out of the current ones at once', () => {
    const { status } = plan({}, ['old:ready', 'old:ready', 'new:ready']);
    expect(status).toMatchObject({ replicas: 3, currentReplicas: 1, updatedReplicas: 1, readyReplicas: 3 });
    expect(status.currentRevision).toBe(older.metadata.name);
  });
});

describe('a pass over a StatefulSet with storage', () => {
  const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: {} }];
  const claim = (fields: Partial<ClaimObject['metadata']> = {}): ClaimObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data-db-0', namespace: 'default', ...fields },
    spec: {},
  });

  it('makes the claim before the pod', () => {
    expect(plan({ volumeClaimTemplates }, []).actions.map(say)).toEqual(['createClaim data-db-0', 'createPod db-0']);
  });

  it('uses a claim that is there', () => {
    const { actions } = plan({ volumeClaimTemplates }, [], { claims: { 'data-db-0': claim() } });
    expect(actions.map(say)).toEqual(['createPod db-0']);
  });

  it('fails over a claim that is being deleted', () => {
    const leaving = claim({ deletionTimestamp: '2026-01-02T00:00:00Z' });
    const { actions } = plan({ volumeClaimTemplates }, [], { claims: { 'data-db-0': leaving } });
    expect(actions).toEqual([expect.objectContaining({ kind: 'fail', message: 'pvc data-db-0 is being deleted' })]);
  });

  it('waits for the claim of a pod that was scaled away to be collected', () => {
    const stale = claim({ ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'db-0', uid: 'before' }] });
    const policy = { whenScaled: 'Delete', whenDeleted: 'Retain' };
    const spec = { volumeClaimTemplates, persistentVolumeClaimRetentionPolicy: policy };
    expect(plan(spec, [], { claims: { 'data-db-0': stale } }).actions).toEqual([]);
  });

  it('keeps out of a claim that another controller owns, and says so', () => {
    const mine = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'set', controller: true };
    const taken = claim({
      ownerReferences: [{ apiVersion: 'x/v1', kind: 'Other', name: 'o', uid: 'o', controller: true }, mine],
    });
    const spec = { volumeClaimTemplates, persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } };
    const { actions } = plan(spec, ['old:pending'], { claims: { 'data-db-0': taken } });
    expect(actions.map(say)).toEqual(['warn ConflictingController', 'updateClaim data-db-0']);
    const written = actions.find((action) => action.kind === 'updateClaim')?.claim;
    expect(written?.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['o']);
  });
});
