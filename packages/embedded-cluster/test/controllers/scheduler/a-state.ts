/** Nodes and pods for the scheduler, and a state made of them. */

import type { PodSpec, ResourceRequirements } from 'kubernetes-types/core/v1.js';
import type { NodeObject, PodObject } from '../../../src/controllers/common/workloads.ts';
import { ClusterState } from '../../../src/controllers/scheduler/cluster-state.ts';
import { readPod } from '../../../src/controllers/scheduler/pod-needs.ts';

export interface NodeFields {
  readonly zone?: string;
  readonly labels?: Record<string, string>;
  readonly spec?: NodeObject['spec'];
  readonly allocatable?: Record<string, string>;
}

export function aNode(name: string, { zone, labels, spec = {}, allocatable }: NodeFields = {}): NodeObject {
  const own = { 'kubernetes.io/hostname': name, ...(zone ? { 'topology.kubernetes.io/zone': zone } : {}), ...labels };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: own },
    spec,
    status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110', ...allocatable } },
  };
}

export interface PodFields {
  readonly labels?: Record<string, string>;
  readonly requests?: Record<string, string>;
  readonly spec?: Partial<PodSpec>;
  readonly owner?: string;
  readonly namespace?: string;
}

export function aPod(
  name: string,
  { labels = {}, requests, spec = {}, owner, namespace = 'default' }: PodFields = {},
): PodObject {
  const resources: ResourceRequirements = requests ? { requests } : {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid: `uid-of-${name}`,
      labels,
      ...(owner
        ? {
            ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner, controller: true }],
          }
        : {}),
    },
    spec: { containers: [{ name: 'main', image: 'app:1', resources }], ...spec },
  };
}

export function aState(
  nodes: readonly NodeObject[],
  placed: readonly (readonly [PodObject, string])[] = [],
  namespaceLabels: Record<string, Record<string, string>> = {},
): ClusterState {
  const state = new ClusterState((namespace) => namespaceLabels[namespace] ?? {});
  for (const node of nodes) state.setNode(node);
  for (const [pod, node] of placed) state.place(readPod(pod), node);
  return state;
}
