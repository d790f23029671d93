/** A StatefulSet's pods in their places, those that are missing included. */

import { templateOf } from '../common/history.ts';
import { isAvailable, isReady, isTerminating, podPhaseOf } from '../common/pods.ts';
import type { PodObject, RevisionObject, StatefulSetObject } from '../common/workloads.ts';
import { isInRange, newPod, ordinalOf, replicasOf, startOrdinal } from './ordinals.ts';

export interface Slot {
  readonly ordinal: number;
  /** What is there, or what should be. */
  readonly pod: PodObject;
  readonly exists: boolean;
}

export interface Slots {
  /** By ordinal, lowest first. */
  readonly replicas: readonly Slot[];
  /** Out of range, highest ordinal first. */
  readonly condemned: readonly Slot[];
}

export function arrange(
  set: StatefulSetObject,
  pods: readonly PodObject[],
  current: RevisionObject,
  update: RevisionObject,
): Slots {
  const present = new Map<number, Slot>();
  const condemned: Slot[] = [];
  for (const pod of pods) {
    const ordinal = ordinalOf(set, pod);
    if (ordinal === undefined) continue;
    const slot = { ordinal, pod, exists: true };
    if (isInRange(set, ordinal)) present.set(ordinal, slot);
    else condemned.push(slot);
  }
  const start = startOrdinal(set);
  const replicas = Array.from({ length: replicasOf(set) }, (_, index) => {
    const ordinal = start + index;
    return present.get(ordinal) ?? missing(set, ordinal, current, update);
  });
  return { replicas, condemned: condemned.sort((left, right) => right.ordinal - left.ordinal) };
}

/** Below the partition a pod comes back as it was, above it will be. */
function missing(set: StatefulSetObject, ordinal: number, current: RevisionObject, update: RevisionObject): Slot {
  const { updateStrategy } = set.spec;
  const rolling = updateStrategy?.rollingUpdate;
  const isRolling = (updateStrategy?.type ?? 'RollingUpdate') === 'RollingUpdate';
  const kept = rolling ? (rolling.partition ?? 0) : isRolling ? (set.status?.currentReplicas ?? 0) : 0;
  const revision = ordinal < startOrdinal(set) + kept ? current : update;
  const pod = newPod(set, ordinal, templateOf(revision), revision.metadata.name);
  return { ordinal, pod, exists: false };
}

export function isRunningAndReady({ pod, exists }: Slot): boolean {
  return exists && podPhaseOf(pod) === 'Running' && isReady(pod);
}

export interface AvailabilityInput {
  readonly minReadySeconds: number;
  readonly nowMs: number;
}

export function isSlotAvailable({ pod, exists }: Slot, health: AvailabilityInput): boolean {
  return exists && isAvailable(pod, health.minReadySeconds, health.nowMs);
}

export function isUnavailable(slot: Slot, health: AvailabilityInput): boolean {
  return !isSlotAvailable(slot, health) || isTerminating(slot.pod);
}
