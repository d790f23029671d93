/**
 * CEL cannot loop forever, but loops within loops over long lists, and strings that are doubled again and again, can hold the
 * server up for hours. Every step of an evaluation is paid for out of one budget; when it is spent, everything fails at once.
 */

const maxSteps = 1_000_000;

export const outOfBudget = 'operation cancelled: actual cost limit exceeded';

class BudgetSpent extends Error {
  constructor() {
    super(outOfBudget);
  }
}

/** Evaluation is synchronous and never calls back into itself, so one counter serves all programs. */
let left = 0;

export function remaining(): number {
  return left;
}

/** By the evaluation that ended last. */
export function spent(): number {
  return maxSteps - Math.max(0, left);
}

export function spend(steps: number): void {
  left -= steps;
  if (left < 0) throw new BudgetSpent();
}

/** Whether it was spent is asked at the end again: CEL's `||` and `all` swallow errors. */
export function withinStepBudget<T>(work: () => T): T {
  left = maxSteps;
  const result = work();
  if (left < 0) throw new BudgetSpent();
  return result;
}
