import { formatFieldErrors } from '@holdfast/base/field-errors';
import { parseSelector, type Selector } from '@holdfast/base/labels/label-selector';
import type { PodDisruptionBudgetSpec, PodDisruptionBudgetStatus } from 'kubernetes-types/policy/v1.js';
import type { KubeObject } from '../../objects.ts';

export type BudgetObject = KubeObject & { spec?: PodDisruptionBudgetSpec; status?: PodDisruptionBudgetStatus };
export type BudgetStatus = PodDisruptionBudgetStatus;

export const budgets = 'policy/poddisruptionbudgets';

export type SelectorReading =
  | { readonly kind: 'selector'; readonly selector: Selector }
  /** No selector at all selects no pods; an empty one selects all of the namespace. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'error'; readonly message: string };

const known = new WeakMap<object, SelectorReading>();

export function budgetSelectorOf(budget: BudgetObject): SelectorReading {
  const source = budget.spec?.selector;
  if (source === undefined || source === null) return { kind: 'nothing' };
  const before = known.get(source);
  if (before) return before;
  const parsed = parseSelector(source, 'selector');
  const reading: SelectorReading = parsed.ok
    ? { kind: 'selector', selector: parsed.value }
    : { kind: 'error', message: formatFieldErrors(parsed.errors) };
  known.set(source, reading);
  return reading;
}
