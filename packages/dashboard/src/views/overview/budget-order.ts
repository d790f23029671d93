import type { BudgetBar } from '../../model.ts';
import { counted, numberText } from '../../words/counts.ts';

/** What blocks first, for the longest time first; then what is nearest to its limit. */
export function budgetOrder(budgets: readonly BudgetBar[]): readonly BudgetBar[] {
  return budgets.toSorted(
    (a, b) => blockedSince(a) - blockedSince(b) || (a.allowed ?? 0) - (b.allowed ?? 0) || compareText(a.key, b.key),
  );
}

function blockedSince({ blocked }: BudgetBar): number {
  return blocked?.since ?? Number.MAX_SAFE_INTEGER;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function budgetsMatching(budgets: readonly BudgetBar[], text: string): readonly BudgetBar[] {
  const wanted = text.trim().toLowerCase();
  return wanted === '' ? budgets : budgets.filter(({ key }) => key.toLowerCase().includes(wanted));
}

/** `1 of 2 groups up, needs 1, none may be disrupted`. */
export function budgetNumbers(bar: BudgetBar): string {
  const { unit, available, expected, desired, allowed, reserved } = bar;
  if (bar.scope === 'invalid') return 'invalid: it refuses everything';
  const up =
    expected === undefined
      ? `${counted(available, unit)} up`
      : `${numberText(available)} of ${counted(expected, unit)} up`;
  const needs = desired === undefined ? 'needs an unknown number' : `needs ${numberText(desired)}`;
  const may =
    allowed === undefined || allowed === 0 ? 'none may be disrupted' : `${numberText(allowed)} may be disrupted`;
  return [up, needs, may, ...(reserved === 0 ? [] : [`${numberText(reserved)} under way`])].join(', ');
}

export interface BarParts {
  /** In percent of the whole. */
  readonly up: number;
  readonly missing: number;
  /** Where the line of what is needed stands. */
  readonly needed?: number;
  /** So many single pieces are drawn; absent: too many to tell apart. */
  readonly pieces?: number;
}

/** Pieces narrower than this many of a bar run into each other. */
const maxPieces = 24;

export function barParts({ available, expected, desired }: BudgetBar): BarParts {
  const whole = Math.max(1, expected ?? 0, available, desired ?? 0);
  const up = (available / whole) * 100;
  return {
    up,
    missing: 100 - up,
    ...(desired === undefined ? {} : { needed: (desired / whole) * 100 }),
    ...(whole <= maxPieces ? { pieces: whole } : {}),
  };
}
