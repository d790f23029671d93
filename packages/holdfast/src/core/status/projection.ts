import { annotation } from '../../api/names.ts';
import type { PodDisruptionBudget } from '../../api/pdb.ts';
import type { PdbState } from '../world/pdb-state.ts';
import type { Guard } from './condition.ts';

/**
 * The number to show in `status.disruptionsAllowed` of a PodDisruptionBudget (S3): how many more units may be disrupted now. Autoscalers,
 * schedulers and people decide by this one number, and Kubernetes computes it in pods. 0 where it cannot be told: webhooks refuse then, too.
 * Undefined: the number is Kubernetes' own to compute.
 */
export function projectedDisruptions(pdb: PdbState, guard: Guard): number | undefined {
  // An entangled plain budget is counted by Kubernetes' own rule, by it and by us alike (P3).
  // Where requests are only observed, the built-in check decides, by its own number.
  if (guard.kind !== 'on' || (pdb.rules !== undefined && pdb.mode === 'plain')) return undefined;
  if (pdb.rules === undefined || pdb.uncounted > 0) return 0;
  // Without a takeover the built-in check has the last word, pod by pod: by a number of units it would refuse the rest of a broken unit.
  if (!pdb.rules.takeover) return undefined;
  const desired = pdb.desired();
  return desired.known ? Math.max(0, pdb.available - desired.count) : 0;
}

/** Whether the author of a budget wants the number that Kubernetes computes. Other values of the annotation change nothing; `lint` does not report them yet. */
export function keepsBuiltinNumber({ metadata }: PodDisruptionBudget): boolean {
  return metadata.annotations?.[annotation.projection] === 'disabled';
}

/** The number that a budget shows of ours. Undefined: none, or one that is no number. */
export function shownProjection({ metadata }: PodDisruptionBudget): number | undefined {
  const text = metadata.annotations?.[annotation.disruptionsAllowed];
  return text !== undefined && /^[0-9]{1,9}$/.test(text) ? Number(text) : undefined;
}
