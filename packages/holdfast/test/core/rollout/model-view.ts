import type { Pod } from '../../../src/api/pod.ts';
import type { StatefulSet } from '../../../src/api/statefulset.ts';
import { iso, statefulSet } from './builders.ts';
import { type ModelCluster, type ModelPod, stateOf } from './model-cluster.ts';

/** What the API server would show of the set. */
export function viewSet({ set }: ModelCluster): StatefulSet {
  return statefulSet({ ...set, policy: set.parallel ? 'Parallel' : 'OrderedReady' });
}

/** What the API server would show of a pod. */
export function viewPod(cluster: ModelCluster, pod: ModelPod): Pod {
  const { ready, changed, restarts, startedAt } = stateOf(cluster, pod);
  const started = ready || pod.brokeAt !== undefined || restarts > 0;
  const running = startedAt === undefined ? {} : { running: { startedAt: iso(startedAt) } };
  return {
    metadata: {
      name: `web-${pod.ordinal}`,
      uid: pod.uid,
      resourceVersion: '1',
      creationTimestamp: iso(pod.created),
      labels: { 'controller-revision-hash': pod.revision },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'web-uid', controller: true }],
      ...(pod.goneAt === undefined ? {} : { deletionTimestamp: iso(pod.goneAt) }),
    },
    status: {
      phase: pod.failed ? 'Failed' : started ? 'Running' : 'Pending',
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: iso(changed) }],
      containerStatuses: [{ name: 'main', restartCount: restarts, state: running }],
    },
  };
}
