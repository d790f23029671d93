import type { PodDisruptionBudget } from '../../packages/holdfast/src/api/pdb.ts';
import type { Pod } from '../../packages/holdfast/src/api/pod.ts';
import type { PodUnavailableBudget } from '../../packages/holdfast/src/api/pub/pub.ts';
import type { OwnerState } from '../../packages/holdfast/src/core/owner.ts';
import { collections } from '../../packages/holdfast/src/core/sync.ts';
import { World } from '../../packages/holdfast/src/core/world/world.ts';

/** Big clusters that look like real ones: names, labels and owners as controllers write them. */

export function syncedWorld(): World {
  const world = new World();
  for (const collection of collections) world.setSynced(collection, '1');
  return world;
}

/** A string of its own, as parsing JSON makes them: sharing literals would flatter the memory numbers. */
function own(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

const hex = (n: number, width: number): string => n.toString(16).padStart(width, '0');

export interface PodShape {
  readonly namespace: string;
  readonly app: string;
  readonly index: number;
  readonly node: string;
  readonly ready?: boolean;
  readonly group?: number;
  readonly version?: number;
}

export function podOf(shape: PodShape): Pod {
  const { namespace, app, index, node, group } = shape;
  const grouped: Record<string, string> =
    group === undefined
      ? {}
      : {
          'leaderworkerset.sigs.k8s.io/name': own(app),
          'leaderworkerset.sigs.k8s.io/group-index': own(String(group)),
          'leaderworkerset.sigs.k8s.io/worker-index': own(String(index % 8)),
        };
  return {
    metadata: {
      name: own(`${app}-7d4b9c6f5d-${hex(index, 5)}`),
      namespace: own(namespace),
      uid: own(`${hex(index, 8)}-5d1e-4c3b-9a7f-${hex(index * 7919, 12)}`),
      resourceVersion: own(String(1_000_000 + (shape.version ?? index))),
      generation: 1,
      labels: {
        app: own(app),
        'app.kubernetes.io/name': own(app),
        'app.kubernetes.io/part-of': own('shop'),
        'app.kubernetes.io/managed-by': own('helm'),
        'pod-template-hash': own('7d4b9c6f5d'),
        ...grouped,
      },
      ...(group === undefined ? {} : { annotations: { 'leaderworkerset.sigs.k8s.io/size': own('8') } }),
      ownerReferences: [
        {
          apiVersion: own('apps/v1'),
          kind: own('StatefulSet'),
          name: own(app),
          uid: own(`${app}-uid`),
          controller: true,
        },
      ],
    },
    spec: { nodeName: own(node), containers: [{ name: 'main' }] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: shape.ready === false ? 'False' : 'True' }] },
  };
}

export function statefulSet(namespace: string, name: string, replicas: number): OwnerState {
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace, name, uid: `${name}-uid`, replicas };
}

export function pubOf(namespace: string, app: string, groups: boolean): PodUnavailableBudget {
  return {
    apiVersion: 'policy.kruise.io/v1beta1',
    metadata: { name: app, namespace, generation: 1 },
    spec: {
      selector: { matchLabels: { app, 'app.kubernetes.io/part-of': 'shop' } },
      maxUnavailable: '10%',
      ...(groups
        ? { podGroupPolicy: { groupLabelKey: 'leaderworkerset.sigs.k8s.io/group-index', minReadyReplicas: 8 } }
        : {}),
    },
    status: { observedGeneration: 1 },
  };
}

export function groupPdbOf(namespace: string, app: string): PodDisruptionBudget {
  return {
    metadata: { name: app, namespace, generation: 1, annotations: { 'holdfast.dev/budget-scope': 'PodGroup' } },
    spec: { selector: { matchLabels: { app } }, maxUnavailable: '10%' },
  };
}
