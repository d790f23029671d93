import type { Condition } from '@holdfast/base/meta';
import type { Pod } from '../../api/pod.ts';
import { restartedAt } from './restarts.ts';

/**
 * A pod as the built-in StatefulSet controller sees it. Times are missing where the pod does not tell them, and a time
 * that we cannot tell has never passed.
 */
export type ReplicaHealth =
  | { readonly kind: 'healthy' }
  | { readonly kind: 'terminating' }
  | { readonly kind: 'finished'; readonly since?: number }
  /** It says that it is ready, but not for minReadySeconds yet (or it does not run). Such a pod is never called broken. */
  | { readonly kind: 'warmingUp'; readonly until?: number }
  /** As healthy as can be seen, but restarted a moment ago: a crash loop makes a pod ready for moments. */
  | { readonly kind: 'unsteady'; readonly until: number }
  | { readonly kind: 'broken'; readonly since?: number };

export interface HealthTerms {
  readonly minReadySeconds: number;
  /** How long a pod must have been up since a restart. */
  readonly steadyMs: number;
  readonly now: number;
}

export function assessReplica(pod: Pod, terms: HealthTerms): ReplicaHealth {
  if (pod.metadata.deletionTimestamp !== undefined) return { kind: 'terminating' };
  const ready = pod.status?.conditions?.find((condition) => condition.type === 'Ready');
  const phase = pod.status?.phase;
  if (phase === 'Failed' || phase === 'Succeeded') return { kind: 'finished', ...sinceWhen(unreadySince(pod, ready)) };
  if (ready?.status !== 'True') return { kind: 'broken', ...sinceWhen(unreadySince(pod, ready)) };
  if (phase !== 'Running') return { kind: 'warmingUp' };
  return warmingUp(ready, terms) ?? unsteady(pod, terms) ?? { kind: 'healthy' };
}

function warmingUp(ready: Condition, { minReadySeconds, now }: HealthTerms): ReplicaHealth | undefined {
  if (minReadySeconds <= 0) return undefined;
  const since = instant(ready.lastTransitionTime);
  if (since === undefined) return { kind: 'warmingUp' };
  const until = since + minReadySeconds * 1000;
  return until <= now ? undefined : { kind: 'warmingUp', until };
}

function unsteady(pod: Pod, { steadyMs, now }: HealthTerms): ReplicaHealth | undefined {
  const until = (restartedAt(pod) ?? Number.NEGATIVE_INFINITY) + steadyMs;
  return until <= now ? undefined : { kind: 'unsteady', until };
}

/**
 * Since the last time it stopped being ready, but never since before it existed. A pod that goes back and forth between
 * ready and not starts again each time: it is the built-in controller that passes it while it is ready.
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

function sinceWhen(since: number | undefined): { readonly since?: number } {
  return since === undefined ? {} : { since };
}
