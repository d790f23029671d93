import type { Condition } from '../../api/meta.ts';
import type { Pod } from '../../api/pod.ts';

/**
 * A pod as the built-in StatefulSet controller sees it. Times are missing where the pod does not tell them, and a time
 * that we cannot tell has never passed.
 */
export type ReplicaHealth =
  | { readonly kind: 'healthy' }
  /** `overdueSince` is when its grace period ends: it should be gone by then. */
  | { readonly kind: 'terminating'; readonly overdueSince?: number }
  | { readonly kind: 'finished'; readonly since?: number }
  /** It says that it is ready, but not for minReadySeconds yet (or it does not run). Such a pod is never called broken. */
  | { readonly kind: 'warmingUp'; readonly until?: number }
  | { readonly kind: 'broken'; readonly since?: number };

export function assessReplica(pod: Pod, minReadySeconds: number, now: number): ReplicaHealth {
  if (pod.metadata.deletionTimestamp !== undefined) {
    return { kind: 'terminating', ...optional('overdueSince', instant(pod.metadata.deletionTimestamp)) };
  }
  const ready = pod.status?.conditions?.find((condition) => condition.type === 'Ready');
  const phase = pod.status?.phase;
  if (phase === 'Failed' || phase === 'Succeeded')
    return { kind: 'finished', ...optional('since', unreadySince(pod, ready)) };
  if (ready?.status !== 'True') return { kind: 'broken', ...optional('since', unreadySince(pod, ready)) };
  if (phase !== 'Running') return { kind: 'warmingUp' };
  return sinceReady(ready, minReadySeconds, now);
}

function sinceReady(ready: Condition, minReadySeconds: number, now: number): ReplicaHealth {
  if (minReadySeconds <= 0) return { kind: 'healthy' };
  const since = instant(ready.lastTransitionTime);
  if (since === undefined) return { kind: 'warmingUp' };
  const until = since + minReadySeconds * 1000;
  return until <= now ? { kind: 'healthy' } : { kind: 'warmingUp', until };
}

/**
 * Since the last time it stopped being ready, but never since before it existed. A pod that goes back and forth between
 * ready and not starts anew each time: it is the built-in controller that passes it while it is ready.
 */
function unreadySince(pod: Pod, ready: Condition | undefined): number | undefined {
  const changed = instant(ready?.lastTransitionTime);
  const created = instant(pod.metadata.creationTimestamp);
  if (changed === undefined || created === undefined) return changed ?? created;
  return Math.max(changed, created);
}

function instant(text: string | null | undefined): number | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : time;
}

function optional<K extends string>(key: K, value: number | undefined): { readonly [P in K]?: number } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: number });
}
