import { controllerOf } from '../../api/meta.ts';
import type { Pod } from '../../api/pod.ts';
import type { StatefulSet } from '../../api/statefulset.ts';
import { parseRolloutOptIn } from '../../core/rollout/opt-in.ts';
import type { Removal, RolloutPlan } from '../../core/rollout/state.ts';

export type NextRemoval =
  | { readonly kind: 'none' }
  | { readonly kind: 'remove'; readonly removal: Removal }
  /** Another pod of the set is on its way out. Times as the cluster tells them. */
  | { readonly kind: 'wait'; readonly until: number };

/**
 * One pod of a set at a time: a replica and a pod that is to go could both be removed now, and the second one waits for the first.
 * A pod that overstays its grace period, on a dead node perhaps, does not hold up the rest for longer than any other trouble does.
 */
export function nextRemoval(plan: RolloutPlan, set: StatefulSet, pods: readonly Pod[], now: number): NextRemoval {
  const [removal] = plan.removals;
  if (removal === undefined) return { kind: 'none' };
  const until = Math.max(...pods.map((pod) => leavingUntil(set, pod)), Number.NEGATIVE_INFINITY) + settleMsOf(set);
  return until > now ? { kind: 'wait', until } : { kind: 'remove', removal };
}

/** 0 for a set in which nothing is done. */
export function settleMsOf(set: StatefulSet): number {
  const optIn = parseRolloutOptIn(set);
  return optIn.kind === 'on' ? optIn.settleSeconds * 1_000 : 0;
}

function leavingUntil({ metadata }: StatefulSet, pod: Pod): number {
  const { deletionTimestamp } = pod.metadata;
  const isOurs = controllerOf(pod.metadata)?.uid === metadata.uid;
  if (deletionTimestamp === undefined || !isOurs) return Number.NEGATIVE_INFINITY;
  const end = Date.parse(deletionTimestamp);
  return Number.isNaN(end) ? Number.NEGATIVE_INFINITY : end;
}
