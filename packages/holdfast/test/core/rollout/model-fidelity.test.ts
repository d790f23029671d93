import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../../test/support/effort.ts';
import type {
  PodObject,
  RevisionObject,
  StatefulSetObject,
} from '../../../../embedded-cluster/src/controllers/common/workloads.ts';
import { planStatefulSet } from '../../../../embedded-cluster/src/controllers/statefulset/plan-stateful-set.ts';
import { at } from './builders.ts';
import { type ModelCluster, type ModelPod, type ModelSet, modelCluster } from './model-cluster.ts';
import { controllerPass } from './model-controller.ts';
import { viewPod, viewSet } from './model-view.ts';

/**
 * The model of the built-in controller is small enough to be read; the embedded cluster has a whole one, which is compared with the real
 * one on real clusters. From any state both do the same.
 */

const anySet: fc.Arbitrary<Partial<ModelSet>> = fc.record({
  replicas: fc.integer({ min: 0, max: 5 }),
  start: fc.integer({ min: 0, max: 2 }),
  partition: fc.constantFrom(0, 0, 1, 2, 9),
  rolling: fc.constantFrom(true, true, true, false),
  maxUnavailable: fc.integer({ min: 1, max: 3 }),
  minReadySeconds: fc.constantFrom(0, 0, 3),
  parallel: fc.constantFrom(false, false, false, true),
  generation: fc.constant(2),
  observed: fc.constantFrom(1, 2),
  template: fc.constantFrom('v1', 'v2', 'v3'),
  current: fc.constantFrom('v1', 'v2'),
  update: fc.constantFrom('v1', 'v2', 'v3'),
  currentReplicas: fc.integer({ min: 0, max: 5 }),
});

const anyPod: fc.Arbitrary<Omit<ModelPod, 'uid'>> = fc
  .record({
    ordinal: fc.integer({ min: 0, max: 7 }),
    revision: fc.constantFrom('v1', 'v2', 'v3', ''),
    created: fc.constant(-20),
    readyAt: fc.constantFrom(-20, -20, -2, Number.POSITIVE_INFINITY),
    loops: fc.constantFrom(false, false, false, true),
    failed: fc.constantFrom(false, false, false, true),
    goneAt: fc.constantFrom(undefined, undefined, undefined, 5),
  })
  .map(({ goneAt, ...pod }) => ({ ...pod, ...(goneAt === undefined ? {} : { goneAt }) }));

const anyPods = fc.uniqueArray(anyPod, { selector: ({ ordinal }) => ordinal, maxLength: 8 });

function clusterOf(set: Partial<ModelSet>, pods: readonly Omit<ModelPod, 'uid'>[]): ModelCluster {
  const cluster = modelCluster(set, ['v1', 'v2', 'v3']);
  cluster.pods = pods.map((pod) => ({ ...pod, uid: `first-${pod.ordinal}` }));
  return cluster;
}

interface Pass {
  readonly created: readonly string[];
  readonly deleted: readonly number[];
  readonly status: object;
}

function byModel(cluster: ModelCluster): Pass {
  const before = new Map(cluster.pods.map((pod) => [pod.uid, pod.goneAt]));
  controllerPass(cluster);
  const { observed, current, update, currentReplicas } = cluster.set;
  const created = cluster.pods.filter(({ uid }) => !before.has(uid));
  const deleted = cluster.pods.filter(({ uid, goneAt }) => goneAt !== before.get(uid));
  return {
    created: created.map(({ ordinal, revision }) => `${ordinal} ${revision}`).sort(),
    deleted: deleted.map(({ ordinal }) => ordinal).sort(),
    status: { observed, current, update, ...counted(cluster.set, currentReplicas) },
  };
}

/** Of Parallel sets a failed pod may be counted twice in a pass; so their number is left out here. */
function counted({ parallel }: ModelSet, currentReplicas: number): object {
  return parallel ? {} : { currentReplicas: Math.max(0, currentReplicas) };
}

function revisionOf(name: string): RevisionObject {
  const data = { spec: { template: { spec: { containers: [] } } } };
  return { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name }, data, revision: 1 };
}

function byEmbedded(cluster: ModelCluster): Pass {
  const { set } = cluster;
  const shown = viewSet(cluster);
  const { actions, status } = planStatefulSet({
    // Safe: the planner reads no more of the objects than the views have.
    set: {
      ...shown,
      status: { ...shown.status, currentReplicas: set.currentReplicas },
    } as unknown as StatefulSetObject,
    pods: cluster.pods.map((pod) => viewPod(cluster, pod) as unknown as PodObject),
    current: revisionOf(set.current),
    update: revisionOf(set.template),
    collisions: 0,
    claim: () => undefined,
    nowMs: at(cluster.now),
    maxUnavailableGate: true,
  });
  const podsOf = (kind: string) => actions.flatMap((one) => (one.kind === kind && 'pod' in one ? [one.pod] : []));
  const ordinal = ({ metadata }: PodObject) => Number(metadata.name.slice('web-'.length));
  return {
    created: podsOf('createPod')
      .map((pod) => `${ordinal(pod)} ${pod.metadata.labels?.['controller-revision-hash']}`)
      .sort(),
    deleted: podsOf('deletePod').map(ordinal).sort(),
    status: {
      observed: status.observedGeneration,
      current: status.currentRevision,
      update: status.updateRevision,
      ...counted(set, status.currentReplicas ?? 0),
    },
  };
}

test('the model and the controller of the embedded cluster do the same to the pods of any set, and say the same of it', () => {
  const states = runs({ short: 1_000, long: 5_000 });
  let acts = 0;
  fc.assert(
    fc.property(anySet, anyPods, (set, pods) => {
      const wanted = byEmbedded(clusterOf(set, pods));
      expect(byModel(clusterOf(set, pods))).toEqual(wanted);
      acts += wanted.created.length + wanted.deleted.length;
    }),
    { numRuns: states },
  );
  expect(acts).toBeGreaterThan(states * 0.4);
});
