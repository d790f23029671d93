import type { Remedy } from './refusal-outlook.ts';

/**
 * The catalogue of reasons. Every refusal, warning and condition has a code here and a line in docs/reference/reasons.md; a test
 * compares the two. A refusal is a sentence with numbers and a sentence that says what would help (I12).
 */

export const refusalCodes = [
  'BudgetExhausted',
  'UnhealthyRefused',
  'DisruptionUnproven',
  'UnitWithheld',
  'GroupSizeUnknown',
  'ProbeVeto',
  'ProbeStale',
  'ProbeUnconfirmed',
  'ProbeInvalid',
  'GroupNotResolved',
  'BudgetInvalid',
  'BudgetNotObserved',
  'NotCountedYet',
  'ExpectedUnknown',
  'OwnerNotResolved',
  'NotSynced',
  'LedgerUnknown',
  'LedgerBusy',
  'CacheStale',
  'LedgerFull',
  'PodUnknown',
  'EvictionNotPinned',
  'TooManyBudgets',
  'SeveralPlainBudgets',
] as const;
export type RefusalCode = (typeof refusalCodes)[number];

export const passCodes = [
  'NotProtected',
  'WithinBudget',
  'AlreadyReserved',
  'Terminating',
  'Finished',
  'Pending',
  'NamespaceTerminating',
  'NamespaceUnguarded',
  'KubeletDelete',
  'GarbageCollection',
  'Preemption',
  'WorkloadGone',
] as const;
export type PassCode = (typeof passCodes)[number];

export const warningCodes = [
  'MixedSelection',
  'GroupFallback',
  'GroupUndivided',
  'GroupsForgettable',
  'UnreachableGroupMinimum',
] as const;
export type WarningCode = (typeof warningCodes)[number];

export const conditionCodes = [
  'Sufficient',
  'Insufficient',
  'NeverSufficient',
  'NotGuarded',
  'Observed',
  'LeftToKruise',
  'Enforced',
  'MissingGroupLabel',
  'UnreachableMinReadyReplicas',
  'MinReadyReplicasBelowSize',
  'UnitsForgettable',
  'WorkloadNotFound',
] as const;
export type ConditionCode = (typeof conditionCodes)[number];

/** The numbers and names behind a refusal. Which of them are set depends on the code. */
export interface RefusalFacts {
  /** Kind and name, as a person says it: `PDB llm`. */
  readonly budget?: string;
  readonly pod: string;
  readonly unit?: string;
  readonly unitKind?: 'pod' | 'group';
  readonly available?: number;
  readonly desired?: number;
  readonly expected?: number;
  /** Units that are not available because a disruption of them was allowed and has not happened yet. */
  readonly reserved?: number;
  /** What the numbers of the budget leave (I15). */
  readonly remedy?: Remedy;
  /** What is missing is being looked up. */
  readonly pending?: boolean;
  /** Free text with its own facts: a field error, an owner's name, two resourceVersions. */
  readonly detail?: string;
  /** The pods whose probes withhold the unit; never empty where it is given. */
  readonly withheldBy?: readonly Withholder[];
}

/** A pod that serves and whose probe keeps its group from being disrupted: it says no, was not asked yet, cannot be read, or is not confirmed. */
export interface Withholder {
  readonly pod: string;
  /** `unconfirmed`: the agent renews its lease, and has not listed the pod yet. */
  readonly probe: 'no' | 'pending' | 'invalid' | 'stale' | 'unconfirmed';
  readonly node?: string;
}
