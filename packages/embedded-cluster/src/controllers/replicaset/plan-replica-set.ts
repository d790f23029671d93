import { timestamp } from '../../time/clock.ts';
import { findCondition, withCondition, withoutCondition } from '../common/conditions.ts';
import { rankForDeletion } from '../common/pod-ranking.ts';
import { isActive, isAvailable, isReady, isTerminating, nextAvailableInMs } from '../common/pods.ts';
import { omitZeros } from '../common/status-writer.ts';
import type { PodObject } from '../common/workloads.ts';
import type { ReplicaOwner } from './replica-owner.ts';

/** Pods created or deleted in one look. The next look sees what is left to do. */
const burstReplicas = 500;

export interface ReplicaPlan {
  readonly create: number;
  readonly remove: readonly PodObject[];
}

/** How many pods to add, or which to remove. `related` are the pods of sets with the same owner. */
export function planReplicas(
  owner: ReplicaOwner,
  pods: readonly PodObject[],
  related: readonly PodObject[],
  nowMs: number,
): ReplicaPlan {
  if (owner.object.metadata.deletionTimestamp !== undefined) return { create: 0, remove: [] };
  const active = pods.filter(isActive);
  const missing = owner.replicas - active.length;
  if (missing >= 0) return { create: Math.min(missing, burstReplicas), remove: [] };
  const surplus = Math.min(-missing, burstReplicas);
  return { create: 0, remove: rankForDeletion(active, related, nowMs).slice(0, surplus) };
}

export type ReplicaStatus = ReplicaOwner['status'];

/** `failure`: what went wrong when the plan was carried out. */
export function computeReplicaSetStatus(
  owner: ReplicaOwner,
  pods: readonly PodObject[],
  failure: string | undefined,
  nowMs: number,
): ReplicaStatus {
  const active = pods.filter(isActive);
  const wanted = Object.entries(owner.template.metadata?.labels ?? {});
  const fullyLabeled = active.filter((pod) => wanted.every(([key, value]) => pod.metadata.labels?.[key] === value));
  const conditions = failureConditions(owner, active.length, failure, nowMs);
  return omitZeros(
    {
      replicas: active.length,
      fullyLabeledReplicas: fullyLabeled.length,
      readyReplicas: active.filter(isReady).length,
      availableReplicas: active.filter((pod) => isAvailable(pod, owner.minReadySeconds, nowMs)).length,
      ...(owner.countsTerminating ? { terminatingReplicas: terminating(pods) } : {}),
      observedGeneration: owner.object.metadata.generation ?? 0,
      ...(conditions.length > 0 ? { conditions } : {}),
    },
    ['replicas', 'terminatingReplicas'],
  );
}

function terminating(pods: readonly PodObject[]): number {
  return pods.filter((pod) => isTerminating(pod) && !['Succeeded', 'Failed'].includes(pod.status?.phase ?? '')).length;
}

function failureConditions(
  owner: ReplicaOwner,
  active: number,
  failure: string | undefined,
  nowMs: number,
): NonNullable<ReplicaStatus['conditions']> {
  const current = owner.status.conditions ?? [];
  if (failure === undefined) return withoutCondition(current, 'ReplicaFailure');
  if (findCondition(current, 'ReplicaFailure')) return current;
  return withCondition(current, {
    type: 'ReplicaFailure',
    status: 'True',
    lastTransitionTime: timestamp(nowMs),
    reason: active < owner.replicas ? 'FailedCreate' : 'FailedDelete',
    message: failure,
  });
}

/** When to look again although nothing happens: the next pod becomes available by the passing of time. */
export function nextReplicaSetCheckMs(
  owner: ReplicaOwner,
  pods: readonly PodObject[],
  nowMs: number,
): number | undefined {
  if (owner.minReadySeconds === 0) return undefined;
  return nextAvailableInMs(pods.filter(isActive), owner.minReadySeconds, nowMs);
}
