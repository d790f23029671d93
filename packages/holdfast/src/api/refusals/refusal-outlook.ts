import type { RefusalCode, RefusalFacts } from './reasons.ts';

/** Whether waiting can make a refused request pass (I15). */
export type Outlook =
  /** In a moment: the operator did not know enough, and will. */
  | 'moment'
  /** Yes: something must become available first. */
  | 'wait'
  /** No: a person has to change something first. */
  | 'change';

/** What makes a budget allow that one more of its units breaks (I15). */
export type Remedy =
  /** Waiting: enough units can be available; `within`: or enough pods of the target's own unit. */
  | { readonly kind: 'wait'; readonly within?: true }
  /** Waiting does not help: the budget needs every unit that it can have, or more. */
  | {
      readonly kind: 'change';
      /** The most units that can be available. */
      readonly most: number;
      /** False: nothing states that number, and the units that exist were counted. */
      readonly stated: boolean;
      /** How many units more would be enough; absent: no number is (maxUnavailable 0). */
      readonly add?: number;
      /** The smallest scale that helps; absent: none does, or there is no single workload to scale. */
      readonly scale?: { readonly owner: string; readonly to: number };
      /** The field of the budget that asks for so many. */
      readonly field: LimitField;
    }
  /** Waiting does not help: Kubernetes expects no pods of the budget, and then allows no eviction (P3). */
  | { readonly kind: 'change'; readonly nothingExpected: true };

export type LimitField = 'minAvailable' | 'maxUnavailable';

const outlooks: Readonly<Record<RefusalCode, Outlook>> = {
  BudgetExhausted: 'wait',
  UnhealthyRefused: 'wait',
  DisruptionUnproven: 'wait',
  UnitWithheld: 'wait',
  GroupSizeUnknown: 'wait',
  ProbeVeto: 'wait',
  ProbeStale: 'change',
  ProbeUnconfirmed: 'moment',
  ProbeInvalid: 'change',
  GroupNotResolved: 'change',
  BudgetInvalid: 'change',
  BudgetNotObserved: 'moment',
  NotCountedYet: 'moment',
  ExpectedUnknown: 'change',
  OwnerNotResolved: 'moment',
  NotSynced: 'moment',
  LedgerUnknown: 'moment',
  LedgerBusy: 'moment',
  CacheStale: 'moment',
  LedgerFull: 'wait',
  PodUnknown: 'moment',
  EvictionNotPinned: 'moment',
  TooManyBudgets: 'change',
  SeveralPlainBudgets: 'change',
};

/** The code says it, unless the numbers or the probes behind the refusal say more. */
export function outlookOf(
  code: RefusalCode,
  { remedy, pending, withheldBy = [] }: Partial<RefusalFacts> = {},
): Outlook {
  if (pending === true) return 'moment';
  if (remedy?.kind === 'change') return 'change';
  if (withheldBy.some(({ probe }) => probe === 'invalid' || probe === 'stale')) return 'change';
  return outlooks[code];
}
