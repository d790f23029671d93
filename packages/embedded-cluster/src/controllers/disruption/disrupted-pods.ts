/** Pods that were allowed to go: they do not count as healthy until they are gone, or it is clear that they stay. */

import { isReady, isTerminating, millis } from '../common/pods.ts';
import type { PodObject } from '../common/workloads.ts';
import type { BudgetStatus } from './budget.ts';

const deletionTimeoutMs = 120_000;

export interface Disrupted {
  /** By pod name, the time of the permission. */
  readonly entries: ReadonlyMap<string, string>;
  /** Pods that should have gone by now. */
  readonly stayed: readonly PodObject[];
  /** When the first of the entries runs out. */
  readonly recheckAtMs: number | undefined;
}

/** Keeps the entries of pods that may still go. */
export function disruptedPods(status: BudgetStatus | undefined, pods: readonly PodObject[], nowMs: number): Disrupted {
  const before = new Map(Object.entries(status?.disruptedPods ?? {}));
  const entries = new Map<string, string>();
  const stayed: PodObject[] = [];
  let recheckAtMs: number | undefined;
  for (const pod of pods) {
    const since = before.get(pod.metadata.name);
    if (since === undefined || isTerminating(pod)) continue;
    const deadline = deadlineOf(since);
    if (deadline < nowMs) {
      stayed.push(pod);
      continue;
    }
    entries.set(pod.metadata.name, since);
    if (recheckAtMs === undefined || deadline < recheckAtMs) recheckAtMs = deadline;
  }
  return { entries, stayed, recheckAtMs };
}

export function healthyPods(pods: readonly PodObject[], { entries }: Disrupted, nowMs: number): number {
  return pods.filter((pod) => {
    const since = entries.get(pod.metadata.name);
    const leaving = isTerminating(pod) || (since !== undefined && deadlineOf(since) > nowMs);
    return !leaving && isReady(pod);
  }).length;
}

function deadlineOf(since: string): number {
  return (millis(since) ?? 0) + deletionTimeoutMs;
}
