import type { LabelSelector } from 'kubernetes-types/meta/v1.js';
import type { KubeObject, ResourceKey } from '../../objects.ts';
import type { PodTemplate, ReplicaSetObject, ReplicationControllerObject } from '../common/workloads.ts';

/** A ReplicaSet or a ReplicationController: they differ in the form of the selector and in name only. */
export interface ReplicaOwner {
  readonly object: KubeObject;
  readonly replicas: number;
  readonly minReadySeconds: number;
  readonly selector: LabelSelector | undefined;
  readonly template: PodTemplate;
  readonly status: NonNullable<ReplicaSetObject['status']>;
  /** ReplicationControllers do not count pods on their way out. */
  readonly countsTerminating: boolean;
}

export interface ReplicaKind {
  readonly controller: string;
  readonly component: string;
  readonly resource: ResourceKey;
  readonly apiVersion: string;
  readonly kind: string;
  read(object: KubeObject): ReplicaOwner;
}

const noStatus = { replicas: 0 };

export const replicaSets: ReplicaKind = {
  controller: 'replicaset-controller',
  component: 'replicaset-controller',
  resource: 'apps/replicasets',
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  read(object) {
    const { spec, status } = object as ReplicaSetObject;
    return {
      object,
      replicas: spec.replicas ?? 1,
      minReadySeconds: spec.minReadySeconds ?? 0,
      selector: spec.selector,
      template: spec.template ?? {},
      status: status ?? noStatus,
      countsTerminating: true,
    };
  },
};

const mapSelectors = new WeakMap<object, LabelSelector>();

/** The same selector object for the same map, so that it is parsed once. */
function selectorOf(labels: Record<string, string> | undefined): LabelSelector | undefined {
  if (labels === undefined) return undefined;
  const known = mapSelectors.get(labels);
  if (known) return known;
  const selector = { matchLabels: labels };
  mapSelectors.set(labels, selector);
  return selector;
}

export const replicationControllers: ReplicaKind = {
  controller: 'replication-controller',
  component: 'replication-controller',
  resource: 'replicationcontrollers',
  apiVersion: 'v1',
  kind: 'ReplicationController',
  read(object) {
    const { spec, status } = object as ReplicationControllerObject;
    return {
      object,
      replicas: spec.replicas ?? 1,
      minReadySeconds: spec.minReadySeconds ?? 0,
      selector: selectorOf(spec.selector),
      template: spec.template ?? {},
      status: status ?? noStatus,
      countsTerminating: false,
    };
  },
};
