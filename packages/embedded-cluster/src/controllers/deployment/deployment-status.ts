import type { DeploymentCondition } from 'kubernetes-types/apps/v1.js';
import { timestamp } from '../../time/clock.ts';
import { findCondition, withCondition, withoutCondition } from '../common/conditions.ts';
import { millis } from '../common/pods.ts';
import { omitZeros } from '../common/status-writer.ts';
import type { DeploymentObject, ReplicaSetObject } from '../common/workloads.ts';
import type { DesiredState } from './deployment-fields.ts';
import { nameOf, type ReplicaSetDraft, sumReplicas } from './replica-set-draft.ts';

export type DeploymentStatus = NonNullable<DeploymentObject['status']>;

export interface DeploymentStatusInput {
  readonly deployment: DeploymentObject;
  readonly target: DesiredState;
  readonly latest: ReplicaSetDraft | undefined;
  readonly all: readonly ReplicaSetDraft[];
  /** The Deployment's conditions, with what the plan has added to them. */
  readonly conditions: readonly DeploymentCondition[];
  readonly nowMs: number;
}

export function condition(
  type: string,
  status: string,
  reason: string,
  message: string,
  nowMs: number,
): DeploymentCondition {
  const now = timestamp(nowMs);
  return { type, status, lastUpdateTime: now, lastTransitionTime: now, reason, message };
}

function total(
  drafts: readonly ReplicaSetDraft[],
  read: (status: NonNullable<ReplicaSetObject['status']>) => number | undefined,
): number {
  return drafts.reduce((sum, { original }) => sum + (original.status ? (read(original.status) ?? 0) : 0), 0);
}

/** Counters and the Available condition. */
export function computeDeploymentStatus(input: DeploymentStatusInput): DeploymentStatus {
  const { deployment, target, all, nowMs } = input;
  const available = total(all, (status) => status.availableReplicas);
  const enough = available >= target.replicas - target.maxUnavailable;
  const availability = enough
    ? condition('Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.', nowMs)
    : condition(
        'Available',
        'False',
        'MinimumReplicasUnavailable',
        'Deployment does not have minimum availability.',
        nowMs,
      );
  const collisionCount = deployment.status?.collisionCount;
  return omitZeros(
    {
      observedGeneration: deployment.metadata.generation ?? 0,
      replicas: total(all, (status) => status.replicas),
      updatedReplicas: total(input.latest ? [input.latest] : [], (status) => status.replicas),
      readyReplicas: total(all, (status) => status.readyReplicas),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, sumReplicas(all) - available),
      terminatingReplicas: total(all, (status) => status.terminatingReplicas),
      conditions: withCondition(input.conditions, availability),
      ...(collisionCount === undefined ? {} : { collisionCount }),
    },
    ['terminatingReplicas', 'collisionCount'],
  );
}

/** Counters, and how the rollout gets on. */
export function computeRolloutStatus(input: DeploymentStatusInput): DeploymentStatus {
  const status = computeDeploymentStatus(input);
  const failure = replicaFailure(input);
  const progressing = withProgress(input, status);
  return {
    ...status,
    conditions: failure ? withCondition(progressing, failure) : withoutCondition(progressing, 'ReplicaFailure'),
  };
}

function withProgress(input: DeploymentStatusInput, status: DeploymentStatus): DeploymentCondition[] {
  const { target, nowMs } = input;
  const conditions = status.conditions ?? [];
  if (target.progressDeadlineSeconds === undefined) return withoutCondition(conditions, 'Progressing');
  const current = findCondition(conditions, 'Progressing');
  const done = (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && current?.reason === 'NewReplicaSetAvailable';
  if (done) return [...conditions];
  const say = (value: string, reason: string, ending: string) =>
    condition('Progressing', value, reason, `${subject(input)} ${ending}`, nowMs);
  if (isComplete(input.deployment, target, status)) {
    return withCondition(conditions, say('True', 'NewReplicaSetAvailable', 'has successfully progressed.'));
  }
  if (isProgressing(input.deployment.status, status)) {
    const next = say('True', 'ReplicaSetUpdated', 'is progressing.');
    // Replaced even when it says the same, for its update time holds off the deadline.
    const since = current?.status === 'True' ? current.lastTransitionTime : undefined;
    return [...withoutCondition(conditions, 'Progressing'), since ? { ...next, lastTransitionTime: since } : next];
  }
  if (isTimedOut(current, target.progressDeadlineSeconds, nowMs)) {
    return withCondition(conditions, say('False', 'ProgressDeadlineExceeded', 'has timed out progressing.'));
  }
  return [...conditions];
}

function subject({ latest, deployment }: DeploymentStatusInput): string {
  return latest ? `ReplicaSet "${nameOf(latest)}"` : `Deployment "${deployment.metadata.name}"`;
}

export function isComplete(
  deployment: DeploymentObject,
  target: DesiredState,
  status: DeploymentStatus | undefined,
): boolean {
  return (
    (status?.updatedReplicas ?? 0) === target.replicas &&
    (status?.replicas ?? 0) === target.replicas &&
    (status?.availableReplicas ?? 0) === target.replicas &&
    (status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

function isProgressing(before: DeploymentStatus | undefined, after: DeploymentStatus): boolean {
  const old = (status: DeploymentStatus | undefined) => (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0);
  return (
    (after.updatedReplicas ?? 0) > (before?.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before?.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before?.availableReplicas ?? 0)
  );
}

function isTimedOut(current: DeploymentCondition | undefined, deadlineSeconds: number, nowMs: number): boolean {
  if (current === undefined || current.reason === 'NewReplicaSetAvailable') return false;
  if (current.reason === 'ProgressDeadlineExceeded') return true;
  const since = millis(current.lastUpdateTime);
  return since !== undefined && since + deadlineSeconds * 1000 < nowMs;
}

/** When to look again for a missed deadline. */
export function progressDeadlineInMs(
  deployment: DeploymentObject,
  target: DesiredState,
  status: DeploymentStatus,
  nowMs: number,
): number | undefined {
  const current = findCondition(status.conditions, 'Progressing');
  if (target.progressDeadlineSeconds === undefined || current === undefined) return undefined;
  if (isComplete(deployment, target, status) || current.reason === 'ProgressDeadlineExceeded') return undefined;
  const since = millis(current.lastUpdateTime);
  if (since === undefined) return undefined;
  return Math.max(0, since + target.progressDeadlineSeconds * 1000 - nowMs) + 1000;
}

function replicaFailure({ latest, all }: DeploymentStatusInput): DeploymentCondition | undefined {
  for (const draft of [...(latest ? [latest] : []), ...all]) {
    const found = findCondition(draft.original.status?.conditions, 'ReplicaFailure');
    if (found) {
      const time = found.lastTransitionTime
        ? { lastTransitionTime: found.lastTransitionTime, lastUpdateTime: found.lastTransitionTime }
        : {};
      const { type, status, reason, message } = found;
      return { type, status, ...time, ...(reason ? { reason } : {}), ...(message ? { message } : {}) };
    }
  }
  return undefined;
}

/** Pausing stops the deadline's clock, resuming starts it again. */
export function pausedConditions(
  deployment: DeploymentObject,
  target: DesiredState,
  nowMs: number,
): DeploymentCondition[] {
  const conditions = deployment.status?.conditions ?? [];
  const current = findCondition(conditions, 'Progressing');
  if (target.progressDeadlineSeconds === undefined || current?.reason === 'ProgressDeadlineExceeded') return conditions;
  const wasPaused = current?.reason === 'DeploymentPaused';
  if (target.paused === wasPaused) return conditions;
  return withCondition(
    conditions,
    target.paused
      ? condition('Progressing', 'Unknown', 'DeploymentPaused', 'Deployment is paused', nowMs)
      : condition('Progressing', 'Unknown', 'DeploymentResumed', 'Deployment is resumed', nowMs),
  );
}
