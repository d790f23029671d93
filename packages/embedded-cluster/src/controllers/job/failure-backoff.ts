/** How long a job waits before it replaces failed pods: the longer, the more of them failed in a row. */

import { createdAt, millis, readyCondition } from '../common/pods.ts';
import type { PodObject } from '../common/workloads.ts';

const firstMs = 10_000;
const lastMs = 600_000;

export interface FailureRecord {
  readonly failures: number;
  readonly lastFailureMs: number;
}

export const noFailures: FailureRecord = { failures: 0, lastFailureMs: 0 };

export function nextRecord(
  record: FailureRecord,
  succeeded: readonly PodObject[],
  failed: readonly PodObject[],
): FailureRecord {
  const lastSuccess = Math.max(...succeeded.map(finishedAt), Number.NEGATIVE_INFINITY);
  const since = failed.map(finishedAt).filter((time) => time > lastSuccess);
  const before = succeeded.length > 0 ? noFailures : record;
  if (since.length === 0) return before;
  return { failures: before.failures + since.length, lastFailureMs: Math.max(...since) };
}

export function remainingMs({ failures, lastFailureMs }: FailureRecord, nowMs: number): number {
  if (failures === 0) return 0;
  const delay = Math.min(firstMs * 2 ** (failures - 1), lastMs);
  return Math.max(0, lastFailureMs + delay - nowMs);
}

/** When the last container ended; otherwise the best guess there is. */
function finishedAt(pod: PodObject): number {
  const ends = (pod.status?.containerStatuses ?? []).map((status) => millis(status.state?.terminated?.finishedAt));
  const known = ends.filter((end) => end !== undefined);
  if (known.length > 0 && known.length === ends.length) return Math.max(...known);
  const ready = readyCondition(pod);
  if (ready?.status === 'False') {
    const since = millis(ready.lastTransitionTime);
    if (since !== undefined) return since;
  }
  const deleted = millis(pod.metadata.deletionTimestamp);
  if (deleted !== undefined) return deleted - (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  return createdAt(pod);
}
