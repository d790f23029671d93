/** What a job does with its pods now, and whether it is over. */

import { rankForDeletion } from '../common/pod-ranking.ts';
import { isActive, podPhaseOf } from '../common/pods.ts';
import type { JobObject, PodObject } from '../common/workloads.ts';
import { type FailureRecord, nextRecord, remainingMs } from './failure-backoff.ts';
import { firstFree, parseIndexes } from './indexes.ts';
import { blocksReplacement, hasFailed, indexOf, isIndexed, isSuspended, isTracked } from './job-fields.ts';
import { completed, isEnough, type JobOutcome, jobDeadlineInMs, jobFailureOf, knownOutcome } from './outcome.ts';
import { successByPolicy } from './success-policy.ts';

/** Pods created or deleted in one look. */
const burstPods = 500;

export interface JobInput {
  readonly job: JobObject;
  /** All pods of the job, those that ended included. */
  readonly pods: readonly PodObject[];
  readonly nowMs: number;
  readonly record: FailureRecord;
}

export interface JobDecision {
  /** Why the job is over, if it is: its pods are not replaced any more. */
  readonly outcome: JobOutcome | undefined;
  /** One entry for each pod to create; the index where the job is indexed. */
  readonly create: readonly (number | undefined)[];
  readonly remove: readonly PodObject[];
  /** Whether removed pods are let go uncounted. */
  readonly uncounted: boolean;
  readonly succeeded: number;
  readonly succeededIndexes: ReadonlySet<number>;
  readonly record: FailureRecord;
  readonly requeueMs: number | undefined;
}

export function decide(input: JobInput): JobDecision {
  const { job, pods, nowMs } = input;
  const fresh = freshlyEnded(job, pods);
  const record = nextRecord(input.record, fresh.succeeded, fresh.failed);
  const uncounted = job.status?.uncountedTerminatedPods;
  const succeededIndexes = isIndexed(job) ? allSucceededIndexes(job, pods) : new Set<number>();
  const succeeded = isIndexed(job)
    ? succeededIndexes.size
    : (job.status?.succeeded ?? 0) + fresh.succeeded.length + (uncounted?.succeeded?.length ?? 0);
  const failed = (job.status?.failed ?? 0) + fresh.failed.length + (uncounted?.failed?.length ?? 0);
  const base = { create: [], remove: [], uncounted: false, succeeded, succeededIndexes, record };
  const outcome = knownOutcome(job) ?? jobFailureOf(job, pods, failed, nowMs) ?? successByPolicy(job, succeededIndexes);
  const active = pods.filter(isActive);
  if (outcome) return { ...base, outcome, remove: active, requeueMs: undefined };
  const managed = job.metadata.deletionTimestamp === undefined ? manage(input, active, base) : {};
  const decision = { ...base, outcome, requeueMs: jobDeadlineInMs(job, nowMs), ...managed };
  const left = active.length + decision.create.length - decision.remove.length;
  return left === 0 && isEnough(job, succeeded) ? { ...decision, outcome: completed } : decision;
}

/** Pods that ended and that no status has taken note of. */
export function freshlyEnded(
  job: JobObject,
  pods: readonly PodObject[],
): { succeeded: readonly PodObject[]; failed: readonly PodObject[] } {
  const uncounted = job.status?.uncountedTerminatedPods;
  const noted = new Set([...(uncounted?.succeeded ?? []), ...(uncounted?.failed ?? [])]);
  const candidates = pods.filter(
    (pod) =>
      isTracked(pod) && !noted.has(pod.metadata.uid ?? '') && (!isIndexed(job) || indexOf(job, pod) !== undefined),
  );
  return {
    succeeded: candidates.filter((pod) => podPhaseOf(pod) === 'Succeeded'),
    failed: candidates.filter((pod) => hasFailed(job, pod)),
  };
}

function allSucceededIndexes(job: JobObject, pods: readonly PodObject[]): ReadonlySet<number> {
  const indexes = new Set(parseIndexes(job.status?.completedIndexes, job.spec.completions ?? 0));
  for (const pod of pods) {
    const index = indexOf(job, pod);
    if (index !== undefined && podPhaseOf(pod) === 'Succeeded' && isTracked(pod)) indexes.add(index);
  }
  return indexes;
}

type Managed = Partial<Pick<JobDecision, 'create' | 'remove' | 'uncounted' | 'requeueMs'>>;

function manage(
  { job, pods, nowMs }: JobInput,
  active: readonly PodObject[],
  { succeeded, succeededIndexes, record }: Pick<JobDecision, 'succeeded' | 'succeededIndexes' | 'record'>,
): Managed {
  if (isSuspended(job)) return { remove: active, uncounted: true };
  const wanted = wantedActive(job, succeeded, active.length);
  const surplus = podsToRemove(job, active, Math.max(0, active.length - wanted), nowMs);
  if (surplus.length > 0) return { remove: surplus.slice(0, burstPods), uncounted: true };
  const blocked = pods.filter((pod) => blocksReplacement(job, pod));
  const missing = wanted - active.length - blocked.length;
  if (missing <= 0) return {};
  const wait = remainingMs(record, nowMs);
  if (wait > 0) return { requeueMs: Math.min(wait, jobDeadlineInMs(job, nowMs) ?? wait) };
  const count = Math.min(missing, burstPods);
  if (!isIndexed(job)) return { create: Array.from({ length: count }, () => undefined) };
  const taken = new Set(succeededIndexes);
  for (const pod of [...active, ...blocked]) {
    const index = indexOf(job, pod);
    if (index !== undefined) taken.add(index);
  }
  return { create: firstFree(taken, job.spec.completions ?? 0, count) };
}

function wantedActive(job: JobObject, succeeded: number, active: number): number {
  const parallelism = job.spec.parallelism ?? 1;
  const { completions } = job.spec;
  // A work queue: the first success means that the rest may finish, and nothing is started any more.
  if (completions === undefined) return succeeded > 0 ? Math.min(active, parallelism) : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

/** Pods that double an index or have none always go; then those whose loss costs the least. */
function podsToRemove(
  job: JobObject,
  active: readonly PodObject[],
  atLeast: number,
  nowMs: number,
): readonly PodObject[] {
  const ranked = rankForDeletion(active, [], nowMs);
  if (!isIndexed(job)) return ranked.slice(0, atLeast);
  const seen = new Set<number>();
  const surplus = new Set<PodObject>();
  for (const pod of [...ranked].reverse()) {
    const index = indexOf(job, pod);
    if (index === undefined || seen.has(index)) surplus.add(pod);
    else seen.add(index);
  }
  const others = ranked.filter((pod) => !surplus.has(pod));
  return [...surplus, ...others.slice(0, Math.max(0, atLeast - surplus.size))];
}
