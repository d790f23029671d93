import type { BudgetRef } from '../../../core/verdict.ts';
import type { PdbState } from '../../../core/world/pdb-state.ts';
import type { PubState } from '../../../core/world/pub/pub-state.ts';
import type { BudgetResult, Span } from '../simulation-result.ts';

export interface RecordedBudgetNumbers {
  readonly unit: 'pod' | 'group';
  readonly available: number;
  /** Absent: unknown, and then no disruption is allowed. */
  readonly desired?: number;
}

export function numbersOf(budget: PdbState | PubState): RecordedBudgetNumbers {
  const desired = budget.desired();
  const isGroup = 'mode' in budget ? budget.mode === 'group' : budget.rules?.groups !== undefined;
  return {
    unit: isGroup ? 'group' : 'pod',
    available: budget.rules === undefined ? 0 : budget.available,
    ...(desired.known ? { desired: desired.count } : {}),
  };
}

/** Nothing more of it can be taken away. A budget that needs nothing refuses nothing. */
function isAtLimit({ available, desired }: RecordedBudgetNumbers): boolean {
  return desired === undefined || (desired > 0 && available <= desired);
}

/** One budget over time. */
export class BudgetRecord {
  readonly ref: BudgetRef;
  readonly #atLimit: { from: number; to?: number }[] = [];
  readonly #none: { from: number; to?: number }[] = [];
  readonly #first: RecordedBudgetNumbers;
  #now: RecordedBudgetNumbers;
  #lowest: number;
  refusals = 0;

  constructor(ref: BudgetRef, first: RecordedBudgetNumbers) {
    this.ref = ref;
    this.#first = first;
    this.#now = first;
    this.#lowest = first.available;
    note(this.#atLimit, isAtLimit(first), 0);
    note(this.#none, first.available === 0, 0);
  }

  get now(): RecordedBudgetNumbers {
    return this.#now;
  }

  /** Says whether it came to its limit now, or left it. */
  set(numbers: RecordedBudgetNumbers, at: number): 'reached' | 'left' | undefined {
    const before = isAtLimit(this.#now);
    const after = isAtLimit(numbers);
    this.#now = numbers;
    this.#lowest = Math.min(this.#lowest, numbers.available);
    note(this.#none, numbers.available === 0, at);
    if (before === after) return undefined;
    note(this.#atLimit, after, at);
    return after ? 'reached' : 'left';
  }

  result(): BudgetResult {
    const { unit, desired } = this.#now;
    return {
      budget: this.ref,
      unit,
      ...(desired === undefined ? {} : { desired }),
      available: this.#first.available,
      lowest: this.#lowest,
      atLimit: this.#atLimit satisfies readonly Span[],
      none: this.#none satisfies readonly Span[],
      refusals: this.refusals,
    };
  }
}

/** Begins or ends a span where something changed. */
function note(spans: { from: number; to?: number }[], isOn: boolean, at: number): void {
  const last = spans.at(-1);
  const wasOn = last !== undefined && last.to === undefined;
  if (isOn && !wasOn) spans.push({ from: at });
  else if (!isOn && wasOn) last.to = at;
}
