/** How a job ends, and when. */

import { findCondition } from '../common/conditions.ts';
import { containerStatuses, millis, podPhaseOf } from '../common/pods.ts';
import type { JobObject, PodObject } from '../common/workloads.ts';
import { isSuspended, jobHasCondition } from './job-fields.ts';

export interface JobOutcome {
  readonly result: 'success' | 'failure';
  readonly reason: string;
  readonly message: string;
}

export const completed: JobOutcome = {
  result: 'success',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
};

export function isEnough(job: JobObject, succeeded: number): boolean {
  const { completions } = job.spec;
  return completions === undefined ? succeeded > 0 : succeeded >= completions;
}

/** Once a job has said how it ends, it stays with that. */
export function knownOutcome(job: JobObject): JobOutcome | undefined {
  for (const [type, result] of [
    ['SuccessCriteriaMet', 'success'],
    ['FailureTarget', 'failure'],
  ] as const) {
    if (!jobHasCondition(job, type)) continue;
    const { reason = '', message = '' } = findCondition(job.status?.conditions, type) ?? {};
    return { result, reason, message };
  }
  return undefined;
}

export function jobFailureOf(
  job: JobObject,
  pods: readonly PodObject[],
  failed: number,
  nowMs: number,
): JobOutcome | undefined {
  if (failed > backoffLimit(job) || restartedTooOften(job, pods)) {
    return {
      result: 'failure',
      reason: 'BackoffLimitExceeded',
      message: 'Job has reached the specified backoff limit',
    };
  }
  const deadline = jobDeadlineInMs(job, nowMs);
  if (deadline === undefined || deadline > 0) return undefined;
  return {
    result: 'failure',
    reason: 'DeadlineExceeded',
    message: 'Job was active longer than specified deadline',
  };
}

function backoffLimit(job: JobObject): number {
  return job.spec.backoffLimit ?? 6;
}

/** Pods that restart in place never fail; their restarts are counted instead. */
function restartedTooOften(job: JobObject, pods: readonly PodObject[]): boolean {
  if (job.spec.template.spec?.restartPolicy !== 'OnFailure') return false;
  const restarts = pods
    .filter((pod) => ['Running', 'Pending'].includes(podPhaseOf(pod)))
    .flatMap(containerStatuses)
    .reduce((sum, status) => sum + status.restartCount, 0);
  return backoffLimit(job) === 0 ? restarts > 0 : restarts >= backoffLimit(job);
}

export function jobDeadlineInMs(job: JobObject, nowMs: number): number | undefined {
  const { activeDeadlineSeconds } = job.spec;
  if (activeDeadlineSeconds === undefined || isSuspended(job)) return undefined;
  const start = millis(job.status?.startTime) ?? nowMs;
  return start + activeDeadlineSeconds * 1000 - nowMs;
}
