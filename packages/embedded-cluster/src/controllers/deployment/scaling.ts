/** Spreads a change of the Deployment's size over its replica sets, and moves replicas from old to new ones. */

import { desiredReplicasAnnotation, maxReplicasAnnotation, type Wishes } from './deployment-fields.ts';
import { newSize } from './new-replica-set.ts';
import {
  availableOf,
  byCreation,
  type Draft,
  isLive,
  nameOf,
  noteSizes,
  numberAnnotation,
  resize,
  sumReplicas,
} from './replica-set-draft.ts';

/** Some live replica set was last sized for another number of replicas. */
export function isScalingEvent(all: readonly Draft[], wishes: Wishes): boolean {
  return all.filter(isLive).some((draft) => {
    const desired = numberAnnotation(draft, desiredReplicasAnnotation);
    return desired !== undefined && desired !== wishes.replicas;
  });
}

/** `statusReplicas`: the Deployment's size as last observed, for replica sets that carry no note of theirs. */
export function scaleAll(
  latest: Draft | undefined,
  old: readonly Draft[],
  wishes: Wishes,
  statusReplicas: number,
): void {
  const live = [...old, ...(latest ? [latest] : [])].filter(isLive);
  const only = onlyOne(latest, old, live);
  if (only !== undefined) {
    if (only.replicas !== wishes.replicas) resize(only, wishes.replicas, wishes);
    return;
  }
  if (latest && isSaturated(latest, wishes)) {
    for (const draft of old.filter(isLive)) resize(draft, 0, wishes);
  } else if (!wishes.recreate) {
    scaleProportionally(live, wishes, statusReplicas);
  }
}

function onlyOne(latest: Draft | undefined, old: readonly Draft[], live: readonly Draft[]): Draft | undefined {
  if (live.length > 1) return undefined;
  return live[0] ?? latest ?? [...old].sort(byCreation).at(-1);
}

function isSaturated(latest: Draft, wishes: Wishes): boolean {
  return (
    latest.replicas === wishes.replicas &&
    numberAnnotation(latest, desiredReplicasAnnotation) === wishes.replicas &&
    availableOf(latest) === wishes.replicas
  );
}

function scaleProportionally(live: readonly Draft[], wishes: Wishes, statusReplicas: number): void {
  const allowed = wishes.replicas > 0 ? wishes.replicas + wishes.maxSurge : 0;
  const toAdd = allowed - sumReplicas(live);
  // The largest take the most; of equal ones the newer gains and the older loses.
  const direction = toAdd >= 0 ? -1 : 1;
  const sorted = [...live].sort((left, right) => right.replicas - left.replicas || direction * byCreation(left, right));
  const sizes = new Map(sorted.map((draft) => [draft, draft.replicas]));
  let added = 0;
  for (const draft of sorted) {
    if (toAdd === added) break;
    const share = fraction(draft, wishes, statusReplicas);
    const part = toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added);
    sizes.set(draft, draft.replicas + part);
    added += part;
  }
  for (const [index, draft] of sorted.entries()) {
    const size = (sizes.get(draft) ?? 0) + (index === 0 ? toAdd - added : 0);
    draft.replicas = Math.max(0, size);
    noteSizes(draft, wishes);
  }
}

function fraction(draft: Draft, wishes: Wishes, statusReplicas: number): number {
  if (wishes.replicas === 0) return -draft.replicas;
  const before = numberAnnotation(draft, maxReplicasAnnotation) || statusReplicas;
  if (before === 0) return 0;
  return Math.round((draft.replicas * (wishes.replicas + wishes.maxSurge)) / before) - draft.replicas;
}

/** Grows or shrinks the new replica set; says whether it did. */
export function scaleNew(latest: Draft, all: readonly Draft[], wishes: Wishes): boolean {
  const size = latest.replicas > wishes.replicas ? wishes.replicas : newSize(wishes, all, latest.replicas);
  if (size === latest.replicas) return false;
  resize(latest, size, wishes);
  return true;
}

/** Takes from the old what availability allows, unhealthy replicas first; says whether it did. */
export function scaleOldDown(latest: Draft, old: readonly Draft[], wishes: Wishes): boolean {
  const live = old.filter(isLive).sort(byCreation);
  if (live.length === 0) return false;
  const minAvailable = wishes.replicas - wishes.maxUnavailable;
  const newUnavailable = latest.replicas - availableOf(latest);
  const surplus = sumReplicas(live) + latest.replicas - minAvailable - newUnavailable;
  if (surplus <= 0) return false;
  const cleaned = dropUnhealthy(live, wishes, surplus);
  const available = [...live, latest].reduce((sum, draft) => sum + availableOf(draft), 0);
  const dropped = dropAvailable(live, wishes, Math.min(available - minAvailable, surplus - cleaned));
  return cleaned + dropped > 0;
}

function dropUnhealthy(live: readonly Draft[], wishes: Wishes, limit: number): number {
  return drop(live, wishes, limit, (draft) => draft.replicas - availableOf(draft));
}

function dropAvailable(live: readonly Draft[], wishes: Wishes, limit: number): number {
  return drop(live, wishes, limit, (draft) => draft.replicas);
}

function drop(live: readonly Draft[], wishes: Wishes, limit: number, droppable: (draft: Draft) => number): number {
  let dropped = 0;
  for (const draft of live) {
    const count = Math.min(limit - dropped, droppable(draft));
    if (count <= 0) continue;
    resize(draft, draft.replicas - count, wishes);
    dropped += count;
  }
  return dropped;
}

export function scaleAllDown(old: readonly Draft[], wishes: Wishes): boolean {
  const live = old.filter(isLive);
  for (const draft of live) resize(draft, 0, wishes);
  return live.length > 0;
}

/** Old, empty and settled replica sets beyond the history limit, oldest revision first. */
export function surplusHistory(
  old: readonly Draft[],
  limit: number | undefined,
  revision: (draft: Draft) => bigint,
): Draft[] {
  if (limit === undefined) return [];
  const cleanable = old.filter(({ original }) => original.metadata.deletionTimestamp === undefined);
  const sorted = cleanable.sort((left, right) => {
    const [a, b] = [revision(left), revision(right)];
    return (a === b ? nameOf(left) < nameOf(right) : a < b) ? -1 : 1;
  });
  return sorted.slice(0, Math.max(0, sorted.length - limit)).filter(isSettledAndEmpty);
}

function isSettledAndEmpty(draft: Draft): boolean {
  const { status, metadata, spec } = draft.original;
  return (
    (status?.replicas ?? 0) === 0 &&
    (spec.replicas ?? 1) === 0 &&
    draft.replicas === 0 &&
    (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0)
  );
}
