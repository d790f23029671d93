import type { PersistentVolumeClaim } from 'kubernetes-types/core/v1.js';
import type { KubeObject, ResourceKey } from '../../objects.ts';
import type { Condition } from '../common/conditions.ts';
import type { PodTemplate, StatefulSetObject } from '../common/workloads.ts';

export const leaderWorkerSets: ResourceKey = 'leaderworkerset.x-k8s.io/leaderworkersets';
export const lwsKind = 'LeaderWorkerSet';
export const lwsCrdName = 'leaderworkersets.leaderworkerset.x-k8s.io';

export interface LwsObject extends KubeObject {
  spec: LwsSpec;
  status?: LwsStatus;
}

export interface LwsSpec {
  replicas?: number;
  leaderWorkerTemplate: LeaderWorkerTemplate;
  rolloutStrategy?: { type?: string; rollingUpdateConfiguration?: RollingUpdateConfiguration };
  startupPolicy?: string;
  networkConfig?: { subdomainPolicy?: string };
}

export interface LeaderWorkerTemplate {
  leaderTemplate?: PodTemplate;
  workerTemplate: PodTemplate;
  size?: number;
  restartPolicy?: string;
  subGroupPolicy?: SubGroupPolicy;
  volumeClaimTemplates?: PersistentVolumeClaim[];
  persistentVolumeClaimRetentionPolicy?: NonNullable<StatefulSetObject['spec']['persistentVolumeClaimRetentionPolicy']>;
}

export interface SubGroupPolicy {
  subGroupPolicyType?: string;
  subGroupSize?: number;
}

export interface RollingUpdateConfiguration {
  partition?: number;
  maxUnavailable?: number | string;
  maxSurge?: number | string;
}

export interface LwsStatus {
  conditions?: Condition[];
  replicas?: number;
  readyReplicas?: number;
  updatedReplicas?: number;
  hpaPodSelector?: string;
}

export function groupsOf(lws: LwsObject): number {
  return lws.spec.replicas ?? 1;
}

/** Pods in each group, the leader among them. */
export function sizeOf(lws: LwsObject): number {
  return lws.spec.leaderWorkerTemplate.size ?? 1;
}

export function rollingUpdateOf(lws: LwsObject): Required<RollingUpdateConfiguration> {
  const {
    partition = 0,
    maxUnavailable = 1,
    maxSurge = 0,
  } = lws.spec.rolloutStrategy?.rollingUpdateConfiguration ?? {};
  return { partition, maxUnavailable, maxSurge };
}

export function isSharedSubdomain(lws: LwsObject): boolean {
  return (lws.spec.networkConfig?.subdomainPolicy ?? 'Shared') === 'Shared';
}
