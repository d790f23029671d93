import type { BudgetRef } from '../../core/verdict.ts';

/** Called by the watches after they have changed the world. Must be cheap and never throw: a listener only notes what to reconcile later. */
export interface Touched {
  /** The numbers of these budgets may have changed. */
  budgets(refs: Iterable<BudgetRef>): void;
  /** Anything in the namespace may have changed: its budgets, its owners, its ledger, its label. */
  namespace(name: string): void;
}
