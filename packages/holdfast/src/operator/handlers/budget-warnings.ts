import { formatFieldError } from '@holdfast/base/field-errors';
import { type Amount, parseAmount } from '@holdfast/base/int-or-string';
import { isUnset } from '@holdfast/base/json';
import { annotation } from '../../api/names.ts';
import type { PodUnavailableBudget, PodUnavailableBudgetSpec } from '../../api/pub/pub.ts';
import { isProtectOperation, parseOperationsAnnotation } from '../../api/pub/pub-annotations.ts';
import { conflictErrors } from '../../api/pub/pub-conflicts.ts';

/** What the author of a valid budget should know. */
export function budgetWarnings(budget: PodUnavailableBudget): readonly string[] {
  const spec = budget.spec ?? {};
  return [...spellingWarnings(spec, budget.metadata.annotations ?? {}), ...amountWarnings(spec)];
}

/**
 * Other budgets that want the same pods as one that exists already. Its target cannot be changed, so no update can cause this or
 * mend it: refused, two budgets that were written at the same moment could never be changed again.
 */
export function conflictWarnings(
  budget: PodUnavailableBudget,
  others: readonly PodUnavailableBudget[],
): readonly string[] {
  return conflictErrors(budget, { ...budget.spec }, others).map((error) => formatFieldError(error));
}

/** Two spellings of the total must agree, or the budget is refused; of the operations, the field counts. */
function spellingWarnings(
  { protectOperations = [] }: PodUnavailableBudgetSpec,
  annotations: Readonly<Record<string, string>>,
): readonly string[] {
  const key = annotation.pubProtectOperations;
  const text = annotations[key];
  if (text === undefined || protectOperations.length === 0) return [];
  const spelt = parseOperationsAnnotation(text);
  const theirs = new Set(spelt.ok ? spelt.value : []);
  const ours = new Set(protectOperations.filter(isProtectOperation));
  const same = ours.size === theirs.size && [...ours].every((one) => theirs.has(one));
  return same ? [] : [`annotation ${key} contradicts spec.protectOperations, and is ignored`];
}

function amountWarnings(spec: PodUnavailableBudgetSpec): readonly string[] {
  const limits = limitsOf(spec);
  if (limits.some((limit) => limit.reach === 'all')) {
    const names = limits.filter((limit) => limit.reach === 'all').map((limit) => limit.field);
    return [`${names.join(' and ')}: no healthy pod of this budget can be disrupted`];
  }
  const idle = limits.length > 0 && limits.every((limit) => limit.reach === 'nothing');
  return idle ? [`${limits.map((limit) => limit.field).join(' and ')}: this budget protects nothing`] : [];
}

interface LimitReach {
  readonly field: string;
  /** Whether the limit keeps every unit, or none, whatever the number of units is. */
  readonly reach: 'all' | 'some' | 'nothing';
}

function limitsOf({ maxUnavailable, minAvailable }: PodUnavailableBudgetSpec): readonly LimitReach[] {
  return [
    ...reachOf('spec.maxUnavailable', maxUnavailable, isNone, isEverything),
    ...reachOf('spec.minAvailable', minAvailable, isEverything, isNone),
  ];
}

function reachOf(
  field: string,
  value: unknown,
  keepsAll: (amount: Amount) => boolean,
  keepsNothing: (amount: Amount) => boolean,
): readonly LimitReach[] {
  if (isUnset(value)) return [];
  const amount = parseAmount(value, field);
  if (!amount.ok) return [];
  const reach = keepsAll(amount.value) ? 'all' : keepsNothing(amount.value) ? 'nothing' : 'some';
  return [{ field: `${field} is ${value}`, reach }];
}

function isNone(amount: Amount): boolean {
  return amount.kind === 'count' ? amount.count === 0 : amount.percent === 0;
}

function isEverything(amount: Amount): boolean {
  return amount.kind === 'percent' && amount.percent === 100;
}
