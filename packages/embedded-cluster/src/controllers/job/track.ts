/**
 * Counting pods exactly once: a pod that ended is noted by uid, then loses its finalizer, then moves from the notes into the
 * counter. Whatever is interrupted in between, the notes tell how far it came.
 */

import { timestamp } from '../../time/clock.ts';
import { findCondition } from '../common/conditions.ts';
import { podPhaseOf } from '../common/pods.ts';
import { omitZeros } from '../common/status-writer.ts';
import type { JobObject, PodObject } from '../common/workloads.ts';
import { freshlyEnded, type JobDecision } from './decide.ts';
import { formatIndexes } from './indexes.ts';
import {
  hasFailed,
  indexOf,
  isIndexed,
  isSuspended,
  isTracked,
  type JobCondition,
  type JobStatus,
} from './job-fields.ts';
import type { JobOutcome } from './outcome.ts';

type Notes = NonNullable<JobStatus['uncountedTerminatedPods']>;

/** Uids noted at most; the rest waits for the next look. */
const maxNoted = 500;

/** How many pods there are after the decision was carried out. */
export interface PodCounts {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
}

export interface Noted {
  readonly status: JobStatus;
  /** Pods that are noted and may lose their finalizer. */
  readonly release: readonly PodObject[];
  /** Some pods found no room in the notes. */
  readonly more: boolean;
  readonly events: readonly { readonly reason: string; readonly message: string }[];
}

/** The first step: counters so far, fresh notes, and what the job has to say about itself. */
export function noteEnded(
  job: JobObject,
  pods: readonly PodObject[],
  decision: JobDecision,
  counts: PodCounts,
  nowMs: number,
): Noted {
  const tracked = pods.filter(isTracked);
  const status = settleNotes(job.status ?? {}, new Set(tracked.map((pod) => pod.metadata.uid ?? '')));
  const { outcome } = decision;
  const releasable = tracked.filter((pod) => mayRelease(job, pod, outcome));
  const release = releasable.slice(0, maxNoted);
  const ended = freshlyEnded(job, release);
  const uids = (list: readonly PodObject[]) => list.map((pod) => pod.metadata.uid ?? '');
  const notes = status.uncountedTerminatedPods ?? {};
  const known = new Set([...(notes.succeeded ?? []), ...(notes.failed ?? [])]);
  // A job that failed counts the pods it takes down with it.
  const lost = outcome?.result === 'failure' ? release.filter((pod) => isLost(job, pod)) : ended.failed;
  const succeeded = isIndexed(job) ? [] : uids(ended.succeeded);
  const failed = uids(lost).filter((uid) => !known.has(uid));
  const { conditions, events, startTime } = ownConditions(job, outcome, nowMs);
  const noted: JobStatus = {
    ...status,
    ...counts,
    uncountedTerminatedPods: notesOf([...(notes.succeeded ?? []), ...succeeded], [...(notes.failed ?? []), ...failed]),
    ...(isIndexed(job)
      ? { succeeded: decision.succeededIndexes.size, completedIndexes: formatIndexes(decision.succeededIndexes) }
      : {}),
    ...(conditions.length > 0 ? { conditions: [...conditions] } : {}),
  };
  return {
    status: tidy(startTime === undefined ? without(noted, 'startTime') : { ...noted, startTime }),
    release,
    more: releasable.length > release.length,
    events,
  };
}

function mayRelease(job: JobObject, pod: PodObject, outcome: JobOutcome | undefined): boolean {
  if (job.metadata.deletionTimestamp !== undefined || outcome !== undefined) return true;
  return podPhaseOf(pod) === 'Succeeded' || hasFailed(job, pod);
}

function isLost(job: JobObject, pod: PodObject): boolean {
  return podPhaseOf(pod) !== 'Succeeded' && (!isIndexed(job) || indexOf(job, pod) !== undefined);
}

function notesOf(succeeded: readonly string[], failed: readonly string[]): Notes {
  return {
    ...(succeeded.length > 0 ? { succeeded: [...succeeded] } : {}),
    ...(failed.length > 0 ? { failed: [...failed] } : {}),
  };
}

/** The second step: noted pods without a finalizer are counted, and their notes dropped. */
export function settleNotes(status: JobStatus, trackedUids: ReadonlySet<string>): JobStatus {
  const notes = status.uncountedTerminatedPods ?? {};
  const succeeded = (notes.succeeded ?? []).filter((uid) => trackedUids.has(uid));
  const failed = (notes.failed ?? []).filter((uid) => trackedUids.has(uid));
  return tidy({
    ...status,
    succeeded: (status.succeeded ?? 0) + (notes.succeeded?.length ?? 0) - succeeded.length,
    failed: (status.failed ?? 0) + (notes.failed?.length ?? 0) - failed.length,
    uncountedTerminatedPods: notesOf(succeeded, failed),
  });
}

/** The last step: nothing is left to count and no pod is left to end. */
export function finishJob(status: JobStatus, outcome: JobOutcome, nowMs: number): JobStatus | undefined {
  const notes = status.uncountedTerminatedPods;
  if ((notes?.succeeded?.length ?? 0) + (notes?.failed?.length ?? 0) > 0) return undefined;
  if ((status.terminating ?? 0) > 0) return undefined;
  const type = outcome.result === 'success' ? 'Complete' : 'Failed';
  const conditions = [...(status.conditions ?? []), newCondition(type, 'True', outcome.reason, outcome.message, nowMs)];
  return { ...status, conditions, ...(outcome.result === 'success' ? { completionTime: timestamp(nowMs) } : {}) };
}

interface Own {
  readonly conditions: readonly JobCondition[];
  readonly events: Noted['events'];
  readonly startTime: string | undefined;
}

function ownConditions(job: JobObject, outcome: JobOutcome | undefined, nowMs: number): Own {
  const conditions = job.status?.conditions ?? [];
  const now = timestamp(nowMs);
  const startTime = job.status?.startTime ?? (isSuspended(job) ? undefined : now);
  if (outcome) {
    const type = outcome.result === 'success' ? 'SuccessCriteriaMet' : 'FailureTarget';
    if (findCondition(conditions, type)) return { conditions, events: [], startTime };
    const target = newCondition(type, 'True', outcome.reason, outcome.message, nowMs);
    return { conditions: [...conditions, target], events: [], startTime };
  }
  const suspended = findCondition(conditions, 'Suspended');
  if (isSuspended(job) === (suspended?.status === 'True')) return { conditions, events: [], startTime };
  const [status, reason, message] = isSuspended(job)
    ? ['True', 'JobSuspended', 'Job suspended']
    : ['False', 'JobResumed', 'Job resumed'];
  const next = newCondition('Suspended', status, reason, message, nowMs);
  const replaced = suspended ? conditions.map((one) => (one === suspended ? next : one)) : [...conditions, next];
  const event = { reason: isSuspended(job) ? 'Suspended' : 'Resumed', message };
  return { conditions: replaced, events: [event], startTime: isSuspended(job) ? undefined : now };
}

function newCondition(type: string, status: string, reason: string, message: string, nowMs: number): JobCondition {
  const now = timestamp(nowMs);
  return { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message };
}

function tidy(status: JobStatus): JobStatus {
  return omitZeros(status, ['ready', 'terminating']);
}

function without(status: JobStatus, field: 'startTime'): JobStatus {
  const { [field]: _, ...rest } = status;
  return rest;
}
