import type { JsonMap } from '../../packages/embedded-cluster/src/patch/json-tree.ts';
import { bigPod } from '../client/big-pod.ts';
import { groupSize, nodes, podName, unitsOf, type Workload, workloadOfPod } from './fleet.ts';

const rbg = 'rbg.workloads.x-k8s.io';
const hash = '7d4b9c6f5d';

/** What changes about a pod. */
export interface PodState {
  readonly ready: boolean;
  readonly version: number;
  /** Pods of the same name that were there before. */
  readonly life: number;
}

/** A pod as big as real ones, of a ReplicaSet of a Deployment. */
export function podObject(pod: number, { ready, version, life }: PodState): JsonMap {
  const workload = workloadOfPod(pod);
  const big = bigPod(pod, version) as { metadata: JsonMap; spec: JsonMap; status: { conditions: readonly JsonMap[] } };
  const hex = pod.toString(16).padStart(8, '0');
  return {
    metadata: {
      ...big.metadata,
      name: podName(pod),
      generateName: `${workload.name}-${hash}-`,
      namespace: workload.namespace,
      uid: `${hex}-5d1e-4c3b-9a7f-${life.toString(16).padStart(12, '0')}`,
      labels: { ...appLabels(workload), 'pod-template-hash': hash, ...groupLabels(workload, pod) },
      annotations: {
        'prometheus.io/scrape': 'true',
        ...(workload.protection === 'groups' ? { [`${rbg}/role-size`]: String(unitsOf(workload)) } : {}),
      },
      ownerReferences: [controller('ReplicaSet', replicaSetName(workload), replicaSetUid(workload))],
    },
    spec: { ...big.spec, nodeName: `node-${pod % nodes}` },
    status: { ...big.status, conditions: big.status.conditions.map((one) => withReadiness(one, ready)) },
  };
}

function withReadiness(condition: JsonMap, ready: boolean): JsonMap {
  const tells = condition['type'] === 'Ready' || condition['type'] === 'ContainersReady';
  return tells && !ready ? { ...condition, status: 'False' } : condition;
}

function appLabels({ name }: Workload): JsonMap {
  return { app: name, 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'shop' };
}

function groupLabels(workload: Workload, pod: number): JsonMap {
  if (workload.protection !== 'groups') return {};
  const group = Math.floor((pod - workload.firstPod) / groupSize);
  return {
    [`${rbg}/group-name`]: workload.name,
    [`${rbg}/role-name`]: 'server',
    [`${rbg}/role-instance-name`]: `${workload.name}-server-${group}`,
    [`${rbg}/role-instance-index`]: String(group),
  };
}

function controller(kind: string, name: string, uid: string): JsonMap {
  return { apiVersion: 'apps/v1', kind, name, uid, controller: true, blockOwnerDeletion: true };
}

function replicaSetName({ name }: Workload): string {
  return `${name}-${hash}`;
}

function replicaSetUid({ index }: Workload): string {
  return `replicaset-${index}`;
}

function deploymentUid({ index }: Workload): string {
  return `deployment-${index}`;
}

function template(workload: Workload): JsonMap {
  const { spec } = bigPod(workload.firstPod, 0) as { spec: JsonMap };
  return { metadata: { labels: appLabels(workload) }, spec };
}

export function deploymentObject(workload: Workload): JsonMap {
  const replicas = workload.pods;
  return {
    metadata: { uid: deploymentUid(workload), labels: appLabels(workload) },
    spec: { replicas, selector: { matchLabels: appLabels(workload) }, template: template(workload) },
    status: { replicas, readyReplicas: replicas, availableReplicas: replicas },
  };
}

/** The present one, and the one before, which Deployments keep for a way back. */
export function replicaSetObjects(workload: Workload): readonly { readonly name: string; readonly object: JsonMap }[] {
  const make = (name: string, uid: string, replicas: number) => ({
    name,
    object: {
      metadata: {
        uid,
        labels: appLabels(workload),
        ownerReferences: [controller('Deployment', workload.name, deploymentUid(workload))],
      },
      spec: { replicas, selector: { matchLabels: appLabels(workload) }, template: template(workload) },
      status: { replicas, readyReplicas: replicas },
    },
  });
  return [
    make(replicaSetName(workload), replicaSetUid(workload), workload.pods),
    make(`${workload.name}-5f9c7d8b4`, `${replicaSetUid(workload)}-old`, 0),
  ];
}

export function pdbObject(workload: Workload): JsonMap {
  return {
    metadata: { annotations: { 'holdfast.dev/budget-scope': 'PodGroup' } },
    spec: { selector: { matchLabels: appLabels(workload) }, maxUnavailable: workload.maxUnavailable },
    status: { conditions: [{ type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods', message: '' }] },
  };
}

export function pubObject(workload: Workload): JsonMap {
  return {
    metadata: {},
    spec: { selector: { matchLabels: appLabels(workload) }, maxUnavailable: workload.maxUnavailable },
  };
}
