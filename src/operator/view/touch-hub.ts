import type { BudgetRef } from '../../core/verdict.ts';
import type { Touched } from './touched.ts';

/** Hands on what was touched to everybody who wants to know. Those who come later hear of what comes later. */
export class TouchHub implements Touched {
  readonly #listeners: Touched[] = [];

  add(listener: Touched): void {
    this.#listeners.push(listener);
  }

  budgets(refs: Iterable<BudgetRef>): void {
    // What can be walked only once must reach everybody.
    const all = [...refs];
    for (const listener of this.#listeners) listener.budgets(all);
  }

  namespace(name: string): void {
    for (const listener of this.#listeners) listener.namespace(name);
  }
}
