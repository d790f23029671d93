import type { BudgetRef } from '../../core/verdict.ts';

/** Called after the world has changed. Cheap, and never throws: a listener only notes what to reconcile later. */
export interface Touched {
  /** The numbers of these budgets may have changed. */
  budgets(refs: Iterable<BudgetRef>): void;
  /** Anything in the namespace may have: its budgets, its owners, its ledger, its label. */
  namespace(name: string): void;
}
