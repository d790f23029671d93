import type { ChangeRecord } from '../api/ledger.ts';
import type { PassCode, RefusalCode } from '../api/refusals/reasons.ts';
import type { Outlook, Remedy } from '../api/refusals/refusal-outlook.ts';
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
  /** Whether waiting can help (I15). */
  readonly outlook: Outlook;
  readonly budget?: BudgetRef;
  readonly unit?: string;
  readonly unitKind?: 'pod' | 'group';
  readonly available?: number;
  readonly desired?: number;
  readonly expected?: number;
  readonly source?: ExpectedSource;
  /** Units that are not available because a disruption of them was allowed and has not happened yet; absent: none. */
  readonly reserved?: number;
  /** What the numbers of the budget leave: set where they are what refuses. */
  readonly remedy?: Remedy;
  readonly message: string;
  readonly unblock: string;
}

/** The pod that a verdict is about. A pod of the same name with another uid is another pod. */
export interface JudgedPod {
  readonly pod: string;
  readonly uid: string;
}

/** How an allowed request comes to its end. Only the target may be deleted, or let through, in the verdict's name. */
type Completion =
  /** Delete the target ourselves. */
  | { readonly complete: 'takeover'; readonly target: JudgedPod }
  /** Let the request through. Without a target no budget had a say. */
  | { readonly complete: 'pass'; readonly target?: JudgedPod };

/** What to do about an allowed request, in this order: reserve, verify what it rests on, count, complete. */
export type Effects = Completion & {
  readonly reserve?: {
    readonly operation: Operation;
    readonly uid: string;
    readonly pod: string;
    readonly generation: number;
    /** The digests of the budgets that allowed it; absent: too many to record (I14). */
    readonly judgedBy?: readonly string[];
    readonly change?: ChangeRecord;
  };
  /**
   * Plain PDBs of the namespace, by name, from whose own counters a takeover takes this eviction before it deletes the pod, as
   * the built-in check would have (P9).
   */
  readonly count?: readonly string[];
  /** The verdict rests on the pod not serving: it holds only for this version of the pod (N5). */
  readonly onlyIf?: PodVersion;
  /** The verdict rests on other pods of the group not serving: it holds only for these versions of them (N5). */
  readonly restsOn?: readonly PodVersion[];
  /** The verdict rests on a reservation: it holds only if the ledger, read again or written, still has it (L6). */
  readonly confirm?: true;
};

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
