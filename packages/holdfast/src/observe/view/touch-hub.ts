import type { BudgetRef } from '../../core/verdict.ts';
import type { Touched } from './touched.ts';

/** Passes each change of the world to every listener. A listener gets only changes after it was added. */
export class TouchHub implements Touched {
  readonly #listeners: Touched[] = [];

  add(listener: Touched): void {
    this.#listeners.push(listener);
  }

  budgets(refs: Iterable<BudgetRef>): void {
    // An iterable that can be walked only once must reach every listener.
    const all = [...refs];
    for (const listener of this.#listeners) listener.budgets(all);
  }

  namespace(name: string): void {
    for (const listener of this.#listeners) listener.namespace(name);
  }
}
