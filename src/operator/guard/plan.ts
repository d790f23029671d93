import type { Namespace } from '../../api/meta.ts';
import { label } from '../../api/names.ts';

/** Values of the guard label, which the webhooks' namespaceSelectors read. The operator sets the first where there is no label; people set the others. */
export const guardedValue = 'enabled';
export const observedValue = 'observe';

/** What Holdfast does about requests in a namespace: `observe` judges them and lets all pass; `off` does nothing. */
export type GuardMode = 'enforce' | 'observe' | 'off';

export function labelledMode(namespace: Namespace): GuardMode {
  const value = guardLabel(namespace);
  if (value === guardedValue) return 'enforce';
  return value === observedValue ? 'observe' : 'off';
}

export type GuardPlan =
  | { readonly kind: 'leave' }
  | { readonly kind: 'enable' }
  | { readonly kind: 'remove' }
  | { readonly kind: 'wait'; readonly afterMs: number };

export interface GuardFacts {
  readonly namespace: Namespace;
  /** The namespace is one of those that are never guarded. */
  readonly exempt: boolean;
  /** There is something to protect. */
  readonly needed: boolean;
  /** Everything that could be a reason to guard has been seen. */
  readonly complete: boolean;
  /** For how long there has been nothing to protect. */
  readonly idleMs: number;
  /** Disruptions that were allowed and not seen to have happened. */
  readonly reservations: number;
}

export interface GuardTimes {
  /** For how long there must be nothing to protect before the label goes: budgets are replaced by deleting them. */
  readonly graceMs: number;
  /** How soon to look again at what is waited for. */
  readonly recheckMs: number;
}

/** What to do about a namespace's label. Only what is absent is set, and only what says `enabled` is taken away. */
export function planGuard(facts: GuardFacts, { graceMs, recheckMs }: GuardTimes): GuardPlan {
  const { namespace, exempt, needed, complete, idleMs, reservations } = facts;
  const value = guardLabel(namespace);
  if (exempt || isTerminating(namespace)) return { kind: 'leave' };
  if (needed) return { kind: value === undefined ? 'enable' : 'leave' };
  if (value !== guardedValue) return { kind: 'leave' };
  if (!complete) return { kind: 'wait', afterMs: recheckMs };
  if (idleMs < graceMs) return { kind: 'wait', afterMs: graceMs - idleMs };
  return reservations > 0 ? { kind: 'wait', afterMs: recheckMs } : { kind: 'remove' };
}

export function guardLabel({ metadata }: Namespace): string | undefined {
  return metadata.labels?.[label.guard];
}

function isTerminating({ metadata, status }: Namespace): boolean {
  return metadata.deletionTimestamp !== undefined || status?.phase === 'Terminating';
}

/** Where the operator and the cluster itself come back up, no request may depend on the operator. */
export function isNeverGuarded(namespace: string, own: string): boolean {
  return namespace === 'kube-system' || namespace === own;
}
