import type { ChangeRecord } from '../api/ledger.ts';
import type { PassCode, RefusalCode } from '../api/reasons.ts';
import type { Operation } from './request.ts';

export interface BudgetRef {
  readonly kind: 'PodDisruptionBudget' | 'PodUnavailableBudget';
  readonly namespace: string;
  readonly name: string;
}

/** Where the expected number of units comes from, strongest first. */
export const expectedSources = ['budget', 'workload', 'scale', 'pods', 'podGroups', 'highestIndex', 'seen'] as const;
export type ExpectedSource = (typeof expectedSources)[number];

/** What one budget says about one pod. */
export interface Charge {
  readonly budget: BudgetRef;
  readonly unit: string;
  readonly unitKind: 'pod' | 'group';
  readonly effect: 'surplus' | 'breaks' | 'down';
  readonly available: number;
  /** Absent where it is not known and the answer did not depend on it. */
  readonly desired?: number;
  readonly expected?: number;
  readonly source?: ExpectedSource;
}

export interface Blocker {
  readonly code: RefusalCode;
  readonly budget?: BudgetRef;
  readonly unit?: string;
  readonly unitKind?: 'pod' | 'group';
  readonly available?: number;
  readonly desired?: number;
  readonly expected?: number;
  readonly source?: ExpectedSource;
  readonly message: string;
  readonly unblock: string;
}

/** What to do about an allowed request, in this order: reserve, then complete. */
export interface Effects {
  readonly reserve?: {
    readonly operation: Operation;
    readonly uid: string;
    readonly pod: string;
    readonly generation: number;
    readonly change?: ChangeRecord;
  };
  /** `takeover`: delete the pod ourselves; `pass`: let the request through. */
  readonly complete: 'takeover' | 'pass';
  /** The verdict rests on the pod not serving: it holds only for this version of the pod (N5). */
  readonly onlyIf?: PodVersion;
  /** The verdict rests on other pods of the group not serving: it holds only for these versions of them (N5). */
  readonly restsOn?: readonly PodVersion[];
  /** The verdict rests on a reservation: it holds only if the ledger, read anew or written, still has it (L6). */
  readonly confirm?: true;
}

export interface PodVersion {
  readonly pod: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

export interface Allowed {
  readonly result: 'allow';
  readonly reason: PassCode;
  readonly charges: readonly Charge[];
  readonly effects: Effects;
}

export interface Denied {
  readonly result: 'deny';
  /** Never empty; budgets in order of kind and name, so that the same world always reads the same. */
  readonly blockers: readonly Blocker[];
  /** One line for people: the first blocker, and how many more there are. */
  readonly message: string;
}

export type Verdict = Allowed | Denied;

/** Allowed, without any budget that had to agree, and resting on nothing that can have become wrong. */
export function isFree(verdict: Verdict): boolean {
  if (verdict.result === 'deny') return false;
  const { reason, effects } = verdict;
  return reason !== 'WithinBudget' && reason !== 'AlreadyReserved' && effects.onlyIf === undefined;
}
