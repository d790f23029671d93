import { findCondition } from '../common/conditions.ts';
import { isFinishedPod, isTerminating, podPhaseOf } from '../common/pods.ts';
import type { JobObject, PodObject } from '../common/workloads.ts';

/** Keeps a pod's remains until the job has counted it. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';
export const completionIndex = 'batch.kubernetes.io/job-completion-index';

export type JobStatus = NonNullable<JobObject['status']>;
export type JobCondition = NonNullable<JobStatus['conditions']>[number];

export function isIndexed(job: JobObject): boolean {
  return job.spec.completionMode === 'Indexed';
}

export function isSuspended(job: JobObject): boolean {
  return job.spec.suspend === true;
}

export function jobHasCondition(job: JobObject, type: string): boolean {
  return findCondition(job.status?.conditions, type)?.status === 'True';
}

export function isFinishedJob(job: JobObject): boolean {
  return jobHasCondition(job, 'Complete') || jobHasCondition(job, 'Failed');
}

export function isTracked(pod: PodObject): boolean {
  return pod.metadata.finalizers?.includes(trackingFinalizer) ?? false;
}

export function withoutTracking(pod: PodObject): PodObject {
  const finalizers = pod.metadata.finalizers?.filter((finalizer) => finalizer !== trackingFinalizer) ?? [];
  return { ...pod, metadata: { ...pod.metadata, finalizers } };
}

function replacesOnlyFailed(job: JobObject): boolean {
  return job.spec.podReplacementPolicy === 'Failed';
}

/** A pod that is being deleted counts as failed at once, unless the job waits for its end before replacing it. */
export function hasFailed(job: JobObject, pod: PodObject): boolean {
  const phase = podPhaseOf(pod);
  if (phase === 'Failed') return true;
  return !replacesOnlyFailed(job) && isTerminating(pod) && phase !== 'Succeeded';
}

export function isLeaving(pod: PodObject): boolean {
  return isTerminating(pod) && !isFinishedPod(pod);
}

/** Pods on their way out that take the place of their replacement. */
export function blocksReplacement(job: JobObject, pod: PodObject): boolean {
  return replacesOnlyFailed(job) && isLeaving(pod);
}

/** Undefined for a pod without a valid index of this job. */
export function indexOf(job: JobObject, pod: PodObject): number | undefined {
  const text = pod.metadata.annotations?.[completionIndex] ?? '';
  if (!/^(0|[1-9][0-9]{0,9})$/.test(text)) return undefined;
  const index = Number(text);
  return index < (job.spec.completions ?? 0) ? index : undefined;
}
