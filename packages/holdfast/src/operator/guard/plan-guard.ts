import type { Namespace } from '@holdfast/base/meta';
import { guardedValue, guardLabel } from '../../observe/guard/guard-mode.ts';

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

function isTerminating({ metadata, status }: Namespace): boolean {
  return metadata.deletionTimestamp !== undefined || status?.phase === 'Terminating';
}
