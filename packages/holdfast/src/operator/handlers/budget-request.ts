import { type Fields, isObject, isUnset, sameJson } from '@holdfast/base/json';
import { type PodUnavailableBudget, pubGroup } from '../../api/pub/pub.ts';
import type { ReviewRequest } from '../admission/wire/review.ts';

/** What an admission request about a PodUnavailableBudget means to us. */
export type BudgetRequest =
  | { readonly kind: 'validate'; readonly budget: PodUnavailableBudget; readonly old?: PodUnavailableBudget }
  | { readonly kind: 'pass' }
  | { readonly kind: 'bad'; readonly problem: string };

const pass: BudgetRequest = { kind: 'pass' };

/** A terminating budget, and a change that leaves a budget's meaning as it was, pass unchecked: finalizers must come off. */
export function budgetRequestOf(review: ReviewRequest): BudgetRequest {
  const isBudget =
    review.group === pubGroup && review.resource === 'podunavailablebudgets' && review.subResource === '';
  if (!isBudget || (review.operation !== 'CREATE' && review.operation !== 'UPDATE')) return pass;
  const budget = objectIn(review.object, 'request.object');
  if (typeof budget === 'string') return bad(budget);
  if (!isUnset(budget.metadata['deletionTimestamp'])) return pass;
  if (review.operation === 'CREATE') return { kind: 'validate', budget: named(budget, review) };
  const old = objectIn(review.oldObject, 'request.oldObject');
  if (typeof old === 'string') return bad(old);
  if (isSameBudget(old, budget)) return pass;
  return { kind: 'validate', budget: named(budget, review), old: named(old, review) };
}

interface Found {
  readonly whole: Fields;
  readonly metadata: Fields;
}

/** The object, or what is wrong with it. */
function objectIn(value: unknown, field: string): Found | string {
  if (!isObject(value)) return `${field} must be an object`;
  const { metadata } = value;
  return isObject(metadata) ? { whole: value, metadata } : `${field}.metadata must be an object`;
}

function isSameBudget(old: Found, now: Found): boolean {
  return (
    sameJson(old.whole['spec'], now.whole['spec']) && sameJson(old.metadata['annotations'], now.metadata['annotations'])
  );
}

/**
 * The budget under the name that the request gives it: a namespace may stand in the path alone. The type says what a valid
 * object looks like; readers still check it.
 */
function named({ whole, metadata }: Found, { name, namespace }: ReviewRequest): PodUnavailableBudget {
  const place = { ...(name === '' ? {} : { name }), ...(namespace === '' ? {} : { namespace }) };
  return { ...whole, metadata: { ...metadata, ...place } } as unknown as PodUnavailableBudget;
}

function bad(problem: string): BudgetRequest {
  return { kind: 'bad', problem };
}
