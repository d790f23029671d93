/** The replica sets of a Deployment while a plan is made: the plan changes drafts, and what changed is written once. */

import { createdAt } from '../common/pods.ts';
import type { ReplicaSetObject } from '../common/workloads.ts';
import {
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  revisionAnnotation,
  type Wishes,
} from './deployment-fields.ts';

export interface Draft {
  readonly original: ReplicaSetObject;
  replicas: number;
  minReadySeconds: number;
  annotations: Readonly<Record<string, string>>;
  readonly annotationsBefore: Readonly<Record<string, string>>;
  /** Made by this plan. */
  readonly isNew: boolean;
}

export function draftOf(replicaSet: ReplicaSetObject, isNew = false): Draft {
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

export function isChanged(draft: Draft): boolean {
  const { spec } = draft.original;
  return (
    draft.replicas !== (spec.replicas ?? 1) ||
    draft.minReadySeconds !== (spec.minReadySeconds ?? 0) ||
    draft.annotations !== draft.annotationsBefore
  );
}

export function finish(draft: Draft): ReplicaSetObject {
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

export function nameOf(draft: Draft): string {
  return draft.original.metadata.name;
}

/** Never more than it is meant to have: the status of a set that was just made smaller still counts the pods it loses. */
export function availableOf(draft: Draft): number {
  return Math.min(draft.original.status?.availableReplicas ?? 0, draft.original.spec.replicas ?? 1);
}

export function isLive(draft: Draft): boolean {
  return draft.replicas > 0;
}

export function sumReplicas(drafts: readonly Draft[]): number {
  return drafts.reduce((sum, draft) => sum + draft.replicas, 0);
}

const maxInt64 = 2n ** 63n - 1n;

/** Revisions are written by clients, too, and may be larger than a number can tell from the next one. */
export function revisionOf(draft: Draft): bigint {
  const text = draft.annotations[revisionAnnotation];
  const revision = text !== undefined && /^[0-9]{1,19}$/.test(text) ? BigInt(text) : 0n;
  return revision > maxInt64 ? 0n : revision;
}

export function numberAnnotation(draft: Draft, key: string): number | undefined {
  const text = draft.annotations[key];
  return text !== undefined && /^[0-9]{1,10}$/.test(text) ? Number(text) : undefined;
}

export function byCreation(left: Draft, right: Draft): number {
  const age = createdAt(left.original) - createdAt(right.original);
  if (age !== 0) return age;
  return nameOf(left) < nameOf(right) ? -1 : 1;
}

/** Sets the size, together with the notes from which a later scaling computes its share. */
export function resize(draft: Draft, replicas: number, wishes: Wishes): void {
  draft.replicas = replicas;
  noteSizes(draft, wishes);
}

export function noteSizes(draft: Draft, wishes: Wishes): void {
  const desired = String(wishes.replicas);
  const max = String(wishes.replicas + wishes.maxSurge);
  if (draft.annotations[desiredReplicasAnnotation] === desired && draft.annotations[maxReplicasAnnotation] === max) {
    return;
  }
  draft.annotations = { ...draft.annotations, [desiredReplicasAnnotation]: desired, [maxReplicasAnnotation]: max };
}
