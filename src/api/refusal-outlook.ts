import type { RefusalCode } from './reasons.ts';

/** What has to happen before a refused request can pass. */
export type Outlook =
  /** Nothing: we did not know enough, and will in a moment. */
  | 'moment'
  /** The budget, or the pod itself, does what it is for: something must become available first. */
  | 'wait'
  /** Somebody has to put something right. */
  | 'repair';

const outlooks: Readonly<Record<RefusalCode, Outlook>> = {
  BudgetExhausted: 'wait',
  UnhealthyRefused: 'wait',
  DisruptionUnproven: 'wait',
  UnitWithheld: 'wait',
  GroupSizeUnknown: 'wait',
  ProbeVeto: 'wait',
  ProbeStale: 'repair',
  ProbeUnconfirmed: 'moment',
  ProbeInvalid: 'repair',
  GroupNotResolved: 'repair',
  BudgetInvalid: 'repair',
  BudgetNotObserved: 'moment',
  NotCountedYet: 'moment',
  ExpectedUnknown: 'repair',
  OwnerNotResolved: 'moment',
  NotSynced: 'moment',
  LedgerUnknown: 'moment',
  LedgerBusy: 'moment',
  CacheStale: 'moment',
  LedgerFull: 'wait',
  PodUnknown: 'moment',
  EvictionNotPinned: 'moment',
  TooManyBudgets: 'repair',
  SeveralPlainBudgets: 'repair',
};

export function outlookOf(code: RefusalCode): Outlook {
  return outlooks[code];
}
