import type { PodUnavailableBudget } from '../../api/pub/pub.ts';

/** An API server stores what it admitted within this time, unless it is in trouble or another webhook refuses. */
const storedWithinMs = 1_000;
/** Each is kept for a second only; more than so many creations in a second are a load test. */
const maxAdmitted = 1_000;

interface Admitted {
  readonly budget: PodUnavailableBudget;
  readonly at: number;
}

/**
 * Budgets that were admitted a moment ago and that a list may not show yet: an API server asks first and stores afterwards. Two that
 * overlap and are created at the same moment would otherwise both pass.
 */
export class AdmittedBudgets {
  #admitted: readonly Admitted[] = [];

  /** @param now of the monotonic clock */
  add(budget: PodUnavailableBudget, now: number): void {
    this.#admitted = [...this.#recent(now), { budget, at: now }].slice(-maxAdmitted);
  }

  /** Those that should be in the list soon, and are not. */
  missingIn(listed: readonly PodUnavailableBudget[], now: number): readonly PodUnavailableBudget[] {
    const shown = new Set(listed.map(placeOf));
    return this.#recent(now)
      .map(({ budget }) => budget)
      .filter((budget) => !shown.has(placeOf(budget)));
  }

  #recent(now: number): readonly Admitted[] {
    return this.#admitted.filter(({ at }) => now - at < storedWithinMs);
  }
}

function placeOf({ metadata }: PodUnavailableBudget): string {
  return JSON.stringify([metadata.namespace, metadata.name]);
}
