/** Spreads a change of the Deployment's size over its replica sets, and moves replicas from old to new ones. */

import { type DesiredState, desiredReplicasAnnotation, maxReplicasAnnotation } from './deployment-fields.ts';
import { newSize } from './new-replica-set.ts';
import {
  availableOf,
  byCreation,
  isLive,
  nameOf,
  noteSizes,
  numberAnnotation,
  type ReplicaSetDraft,
  resize,
  sumReplicas,
} from './replica-set-draft.ts';

/** Some live replica set was last sized for another number of replicas. */
export function isScalingEvent(all: readonly ReplicaSetDraft[], target: DesiredState): boolean {
  return all.filter(isLive).some((draft) => {
    const desired = numberAnnotation(draft, desiredReplicasAnnotation);
    return desired !== undefined && desired !== target.replicas;
  });
}

/** `statusReplicas`: the Deployment's size as last observed, for replica sets that carry no note of theirs. */
export function scaleAll(
  latest: ReplicaSetDraft | undefined,
  old: readonly ReplicaSetDraft[],
  target: DesiredState,
  statusReplicas: number,
): void {
  const live = [...old, ...(latest ? [latest] : [])].filter(isLive);
  const only = onlyOne(latest, old, live);
  if (only !== undefined) {
    if (only.replicas !== target.replicas) resize(only, target.replicas, target);
    return;
  }
  if (latest && isSaturated(latest, target)) {
    for (const draft of old.filter(isLive)) resize(draft, 0, target);
  } else if (!target.recreate) {
    scaleProportionally(live, target, statusReplicas);
  }
}

function onlyOne(
  latest: ReplicaSetDraft | undefined,
  old: readonly ReplicaSetDraft[],
  live: readonly ReplicaSetDraft[],
): ReplicaSetDraft | undefined {
  if (live.length > 1) return undefined;
  return live[0] ?? latest ?? [...old].sort(byCreation).at(-1);
}

function isSaturated(latest: ReplicaSetDraft, target: DesiredState): boolean {
  return (
    latest.replicas === target.replicas &&
    numberAnnotation(latest, desiredReplicasAnnotation) === target.replicas &&
    availableOf(latest) === target.replicas
  );
}

function scaleProportionally(live: readonly ReplicaSetDraft[], target: DesiredState, statusReplicas: number): void {
  const allowed = target.replicas > 0 ? target.replicas + target.maxSurge : 0;
  const toAdd = allowed - sumReplicas(live);
  // The largest take the most; of equal ones the newer gains and the older loses.
  const direction = toAdd >= 0 ? -1 : 1;
  const sorted = [...live].sort((left, right) => right.replicas - left.replicas || direction * byCreation(left, right));
  const sizes = new Map(sorted.map((draft) => [draft, draft.replicas]));
  let added = 0;
  for (const draft of sorted) {
    if (toAdd === added) break;
    const share = fraction(draft, target, statusReplicas);
    const part = toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added);
    sizes.set(draft, draft.replicas + part);
    added += part;
  }
  for (const [index, draft] of sorted.entries()) {
    const size = (sizes.get(draft) ?? 0) + (index === 0 ? toAdd - added : 0);
    draft.replicas = Math.max(0, size);
    noteSizes(draft, target);
  }
}

function fraction(draft: ReplicaSetDraft, target: DesiredState, statusReplicas: number): number {
  if (target.replicas === 0) return -draft.replicas;
  const before = numberAnnotation(draft, maxReplicasAnnotation) || statusReplicas;
  if (before === 0) return 0;
  return Math.round((draft.replicas * (target.replicas + target.maxSurge)) / before) - draft.replicas;
}

/** Grows or shrinks the new replica set; says whether it did. */
export function scaleNew(latest: ReplicaSetDraft, all: readonly ReplicaSetDraft[], target: DesiredState): boolean {
  const size = latest.replicas > target.replicas ? target.replicas : newSize(target, all, latest.replicas);
  if (size === latest.replicas) return false;
  resize(latest, size, target);
  return true;
}

/** Takes from the old what availability allows, unhealthy replicas first; says whether it did. */
export function scaleOldDown(latest: ReplicaSetDraft, old: readonly ReplicaSetDraft[], target: DesiredState): boolean {
  const live = old.filter(isLive).sort(byCreation);
  if (live.length === 0) return false;
  const minAvailable = target.replicas - target.maxUnavailable;
  const newUnavailable = latest.replicas - availableOf(latest);
  const surplus = sumReplicas(live) + latest.replicas - minAvailable - newUnavailable;
  if (surplus <= 0) return false;
  const cleaned = dropUnhealthy(live, target, surplus);
  const available = [...live, latest].reduce((sum, draft) => sum + availableOf(draft), 0);
  const dropped = dropAvailable(live, target, Math.min(available - minAvailable, surplus - cleaned));
  return cleaned + dropped > 0;
}

function dropUnhealthy(live: readonly ReplicaSetDraft[], target: DesiredState, limit: number): number {
  return drop(live, target, limit, (draft) => draft.replicas - availableOf(draft));
}

function dropAvailable(live: readonly ReplicaSetDraft[], target: DesiredState, limit: number): number {
  return drop(live, target, limit, (draft) => draft.replicas);
}

function drop(
  live: readonly ReplicaSetDraft[],
  target: DesiredState,
  limit: number,
  droppable: (draft: ReplicaSetDraft) => number,
): number {
  let dropped = 0;
  for (const draft of live) {
    const count = Math.min(limit - dropped, droppable(draft));
    if (count <= 0) continue;
    resize(draft, draft.replicas - count, target);
    dropped += count;
  }
  return dropped;
}

export function scaleAllDown(old: readonly ReplicaSetDraft[], target: DesiredState): boolean {
  const live = old.filter(isLive);
  for (const draft of live) resize(draft, 0, target);
  return live.length > 0;
}

/** Old, empty and settled replica sets beyond the history limit, oldest revision first. */
export function surplusHistory(
  old: readonly ReplicaSetDraft[],
  limit: number | undefined,
  revision: (draft: ReplicaSetDraft) => bigint,
): ReplicaSetDraft[] {
  if (limit === undefined) return [];
  const cleanable = old.filter(({ original }) => original.metadata.deletionTimestamp === undefined);
  const sorted = cleanable.sort((left, right) => {
    const [a, b] = [revision(left), revision(right)];
    return (a === b ? nameOf(left) < nameOf(right) : a < b) ? -1 : 1;
  });
  return sorted.slice(0, Math.max(0, sorted.length - limit)).filter(isSettledAndEmpty);
}

function isSettledAndEmpty(draft: ReplicaSetDraft): boolean {
  const { status, metadata, spec } = draft.original;
  return (
    (status?.replicas ?? 0) === 0 &&
    (spec.replicas ?? 1) === 0 &&
    draft.replicas === 0 &&
    (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0)
  );
}
