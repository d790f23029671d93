import type { DeploymentCondition } from 'kubernetes-types/apps/v1.js';
import { findCondition, withCondition } from '../common/conditions.ts';
import type { DeploymentObject, ReplicaSetObject } from '../common/workloads.ts';
import { type DesiredState, desiredStateOf, revisionAnnotation } from './deployment-fields.ts';
import {
  computeDeploymentStatus,
  computeRolloutStatus,
  condition,
  type DeploymentStatus,
  isComplete,
  pausedConditions,
  progressDeadlineInMs,
} from './deployment-status.ts';
import { annotateNew, findNew, makeNew } from './new-replica-set.ts';
import {
  draftOf,
  finishReplicaSet,
  isChanged,
  nameOf,
  type ReplicaSetDraft,
  replicaSetRevisionOf,
} from './replica-set-draft.ts';
import { isScalingEvent, scaleAll, scaleAllDown, scaleNew, scaleOldDown, surplusHistory } from './scaling.ts';

export interface DeploymentInput {
  readonly deployment: DeploymentObject;
  readonly replicaSets: readonly ReplicaSetObject[];
  /** Uids of replica sets that still have pods which are not finished. */
  readonly withPods: ReadonlySet<string>;
  readonly nowMs: number;
}

export type ReplicaSetWrite =
  | { readonly kind: 'create'; readonly replicaSet: ReplicaSetObject; readonly event: string | undefined }
  | { readonly kind: 'update'; readonly replicaSet: ReplicaSetObject; readonly event: string | undefined }
  | { readonly kind: 'delete'; readonly replicaSet: ReplicaSetObject };

export interface DeploymentPlan {
  readonly writes: readonly ReplicaSetWrite[];
  /** For the Deployment's own annotation. */
  readonly revision: string | undefined;
  readonly status: DeploymentStatus;
  readonly requeueMs: number | undefined;
}

interface Work {
  readonly input: DeploymentInput;
  readonly target: DesiredState;
  readonly old: readonly ReplicaSetDraft[];
  latest: ReplicaSetDraft | undefined;
  conditions: DeploymentCondition[];
  remove: readonly ReplicaSetDraft[];
}

/** One step of a Deployment: what to write to its replica sets now, and what its status then is. */
export function planDeployment(input: DeploymentInput): DeploymentPlan {
  const work = begin(input);
  const { deployment, nowMs } = input;
  if (deployment.metadata.deletionTimestamp !== undefined) {
    return {
      writes: [],
      revision: undefined,
      status: computeDeploymentStatus(statusInput(work)),
      requeueMs: undefined,
    };
  }
  if (work.latest) adoptLatest(work, work.latest);
  if (work.target.paused || isScalingEvent(all(work), work.target)) {
    scaleAll(work.latest, work.old, work.target, deployment.status?.replicas ?? 0);
    if (work.target.paused) cleanUp(work);
    return conclude(work, computeDeploymentStatus(statusInput(work)), undefined);
  }
  if (work.target.recreate) recreate(work);
  else roll(work);
  const status = computeRolloutStatus(statusInput(work));
  return conclude(work, status, progressDeadlineInMs(deployment, work.target, status, nowMs));
}

function begin(input: DeploymentInput): Work {
  const target = desiredStateOf(input.deployment);
  const drafts = input.replicaSets.map((replicaSet) => draftOf(replicaSet));
  const latest = findNew(input.deployment, drafts);
  const conditions = pausedConditions(input.deployment, target, input.nowMs);
  return { input, target, latest, old: drafts.filter((draft) => draft !== latest), conditions, remove: [] };
}

function all({ old, latest }: Work): readonly ReplicaSetDraft[] {
  return latest ? [...old, latest] : old;
}

function adoptLatest(work: Work, latest: ReplicaSetDraft): void {
  annotateNew(latest, work.input.deployment, work.old);
  latest.minReadySeconds = work.target.minReadySeconds;
  if (findCondition(work.conditions, 'Progressing') || work.target.progressDeadlineSeconds === undefined) return;
  const message = `Found new replica set "${nameOf(latest)}"`;
  work.conditions = withCondition(
    work.conditions,
    condition('Progressing', 'True', 'FoundNewReplicaSet', message, work.input.nowMs),
  );
}

function ensureLatest(work: Work): ReplicaSetDraft {
  if (work.latest) return work.latest;
  const { deployment, nowMs } = work.input;
  const latest = makeNew(deployment, work.target, work.old);
  work.latest = latest;
  if (work.target.progressDeadlineSeconds !== undefined) {
    const message = `Created new replica set "${nameOf(latest)}"`;
    const created = condition('Progressing', 'True', 'NewReplicaSetCreated', message, nowMs);
    work.conditions = withCondition(work.conditions, created);
  }
  return latest;
}

function roll(work: Work): void {
  const latest = ensureLatest(work);
  if (scaleNew(latest, all(work), work.target)) return;
  if (scaleOldDown(latest, work.old, work.target)) return;
  cleanUpIfComplete(work);
}

function recreate(work: Work): void {
  if (scaleAllDown(work.old, work.target)) return;
  // Old pods that still run would meet the new ones.
  if (work.old.some(({ original }) => work.input.withPods.has(original.metadata.uid ?? ''))) return;
  scaleNew(ensureLatest(work), all(work), work.target);
  cleanUpIfComplete(work);
}

function cleanUpIfComplete(work: Work): void {
  if (isComplete(work.input.deployment, work.target, work.input.deployment.status)) cleanUp(work);
}

function cleanUp(work: Work): void {
  work.remove = surplusHistory(work.old, work.target.historyLimit, replicaSetRevisionOf);
}

function statusInput(work: Work): Parameters<typeof computeDeploymentStatus>[0] {
  const { input, target, latest, conditions } = work;
  return { deployment: input.deployment, target, latest, all: all(work), conditions, nowMs: input.nowMs };
}

function conclude(work: Work, status: DeploymentStatus, requeueMs: number | undefined): DeploymentPlan {
  const writes: ReplicaSetWrite[] = [];
  const { latest, old } = work;
  // The new set first: when it is refused, the old ones keep what they have.
  if (latest?.isNew)
    writes.push({ kind: 'create', replicaSet: finishReplicaSet(latest), event: scalingEvent(latest, 0) });
  for (const draft of latest && !latest.isNew ? [latest, ...old] : old) {
    if (!isChanged(draft)) continue;
    const before = draft.original.spec.replicas ?? 1;
    writes.push({ kind: 'update', replicaSet: finishReplicaSet(draft), event: scalingEvent(draft, before) });
  }
  for (const draft of work.remove) writes.push({ kind: 'delete', replicaSet: draft.original });
  return { writes, revision: work.latest?.annotations[revisionAnnotation], status, requeueMs };
}

function scalingEvent(draft: ReplicaSetDraft, before: number): string | undefined {
  if (draft.replicas === before) return undefined;
  const direction = draft.replicas > before ? 'up' : 'down';
  return `Scaled ${direction} replica set ${nameOf(draft)} from ${before} to ${draft.replicas}`;
}
