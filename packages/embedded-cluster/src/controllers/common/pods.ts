/** Questions about pods that all workload controllers ask. */

import type { ContainerStatus, PodCondition } from 'kubernetes-types/core/v1.js';
import type { PodObject } from './workloads.ts';

export function podPhaseOf(pod: PodObject): string {
  return pod.status?.phase ?? 'Pending';
}

export function isTerminating(pod: PodObject): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

export function isFinishedPod(pod: PodObject): boolean {
  const phase = podPhaseOf(pod);
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Counts as a replica: neither finished nor on its way out. */
export function isActive(pod: PodObject): boolean {
  return !isFinishedPod(pod) && !isTerminating(pod);
}

export function readyCondition(pod: PodObject): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === 'Ready');
}

export function isReady(pod: PodObject): boolean {
  return readyCondition(pod)?.status === 'True';
}

/** Since when it is ready; undefined where it is not, or its status does not say. */
export function readySince(pod: PodObject): number | undefined {
  const condition = readyCondition(pod);
  if (condition?.status !== 'True') return undefined;
  return millis(condition.lastTransitionTime);
}

export function isAvailable(pod: PodObject, minReadySeconds: number, nowMs: number): boolean {
  if (!isReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const since = readySince(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= nowMs;
}

/** How long until the next of the ready pods becomes available; undefined when none is on its way. */
export function nextAvailableInMs(
  pods: Iterable<PodObject>,
  minReadySeconds: number,
  nowMs: number,
): number | undefined {
  let next: number | undefined;
  for (const pod of pods) {
    const since = readySince(pod);
    if (since === undefined || isAvailable(pod, minReadySeconds, nowMs)) continue;
    const wait = since + minReadySeconds * 1000 - nowMs;
    if (next === undefined || wait < next) next = wait;
  }
  return next;
}

export function millis(time: string | null | undefined): number | undefined {
  if (time === undefined || time === null) return undefined;
  const parsed = Date.parse(time);
  return Number.isNaN(parsed) ? undefined : parsed;
}

export function createdAt(object: { metadata: { creationTimestamp?: string | null } }): number {
  return millis(object.metadata.creationTimestamp) ?? 0;
}

export function containerStatuses(pod: PodObject): readonly ContainerStatus[] {
  return [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
}
