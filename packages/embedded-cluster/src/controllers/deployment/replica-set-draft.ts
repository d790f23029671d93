/** The replica sets of a Deployment while a plan is made: the plan changes drafts, and what changed is written once. */

import { createdAt } from '../common/pods.ts';
import type { ReplicaSetObject } from '../common/workloads.ts';
import {
  type DesiredState,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  revisionAnnotation,
} from './deployment-fields.ts';

export interface ReplicaSetDraft {
  readonly original: ReplicaSetObject;
  replicas: number;
  minReadySeconds: number;
  annotations: Readonly<Record<string, string>>;
  readonly annotationsBefore: Readonly<Record<string, string>>;
  /** Made by this plan. */
  readonly isNew: boolean;
}

export function draftOf(replicaSet: ReplicaSetObject, isNew = false): ReplicaSetDraft {
  const annotations = replicaSet.metadata.annotations ?? {};
  return {
    original: replicaSet,
    replicas: replicaSet.spec.replicas ?? 1,
    minReadySeconds: replicaSet.spec.minReadySeconds ?? 0,
    annotations,
    annotationsBefore: annotations,
    isNew,
  };
}

export function isChanged(draft: ReplicaSetDraft): boolean {
  const { spec } = draft.original;
  return (
    draft.replicas !== (spec.replicas ?? 1) ||
    draft.minReadySeconds !== (spec.minReadySeconds ?? 0) ||
    draft.annotations !== draft.annotationsBefore
  );
}

export function finishReplicaSet(draft: ReplicaSetDraft): ReplicaSetObject {
  const { original } = draft;
  return {
    ...original,
    metadata: { ...original.metadata, annotations: { ...draft.annotations } },
    spec: {
      ...original.spec,
      replicas: draft.replicas,
      ...(draft.minReadySeconds > 0 || original.spec.minReadySeconds !== undefined
        ? { minReadySeconds: draft.minReadySeconds }
        : {}),
    },
  };
}

export function nameOf(draft: ReplicaSetDraft): string {
  return draft.original.metadata.name;
}

/** Never more than it is meant to have: the status of a set that was just made smaller still counts the pods it loses. */
export function availableOf(draft: ReplicaSetDraft): number {
  return Math.min(draft.original.status?.availableReplicas ?? 0, draft.original.spec.replicas ?? 1);
}

export function isLive(draft: ReplicaSetDraft): boolean {
  return draft.replicas > 0;
}

export function sumReplicas(drafts: readonly ReplicaSetDraft[]): number {
  return drafts.reduce((sum, draft) => sum + draft.replicas, 0);
}

const maxInt64 = 2n ** 63n - 1n;

/** Revisions are written by clients, too, and may be larger than a number can tell from the next one. */
export function replicaSetRevisionOf(draft: ReplicaSetDraft): bigint {
  const text = draft.annotations[revisionAnnotation];
  const revision = text !== undefined && /^[0-9]{1,19}$/.test(text) ? BigInt(text) : 0n;
  return revision > maxInt64 ? 0n : revision;
}

export function numberAnnotation(draft: ReplicaSetDraft, key: string): number | undefined {
  const text = draft.annotations[key];
  return text !== undefined && /^[0-9]{1,10}$/.test(text) ? Number(text) : undefined;
}

export function byCreation(left: ReplicaSetDraft, right: ReplicaSetDraft): number {
  const age = createdAt(left.original) - createdAt(right.original);
  if (age !== 0) return age;
  return nameOf(left) < nameOf(right) ? -1 : 1;
}

/** Sets the size, together with the notes from which a later scaling computes its share. */
export function resize(draft: ReplicaSetDraft, replicas: number, target: DesiredState): void {
  draft.replicas = replicas;
  noteSizes(draft, target);
}

export function noteSizes(draft: ReplicaSetDraft, target: DesiredState): void {
  const desired = String(target.replicas);
  const max = String(target.replicas + target.maxSurge);
  if (draft.annotations[desiredReplicasAnnotation] === desired && draft.annotations[maxReplicasAnnotation] === max) {
    return;
  }
  draft.annotations = { ...draft.annotations, [desiredReplicasAnnotation]: desired, [maxReplicasAnnotation]: max };
}
