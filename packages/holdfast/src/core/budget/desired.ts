import { resolveAmount } from '@holdfast/base/int-or-string';
import type { ExpectedSource } from '../verdict.ts';
import type { Limit } from './rules.ts';

/** Why a number is not known. */
interface Unknown {
  readonly known: false;
  readonly why: string;
  /** An owner is being looked up: it is known in a moment. */
  readonly pending?: true;
}

/** How many units there should be, or why that is not known. */
export type Expected = { readonly known: true; readonly count: number; readonly source: ExpectedSource } | Unknown;

export type Desired = { readonly known: true; readonly count: number } | Unknown;

/** Nothing is known of an owner that was not looked up yet. */
export function notLookedUp(owner: { readonly display: string }): Unknown {
  return { known: false, why: `the operator has not looked up ${owner.display} yet`, pending: true };
}

/** The number of available units that a budget needs (N3). An integer minAvailable needs its number, whatever is expected. */
export function desiredOf(limit: Limit, expected: Expected): Desired {
  const { minAvailable, maxUnavailable } = limit;
  const needsExpected = maxUnavailable !== undefined || minAvailable?.kind === 'percent';
  if (needsExpected && !expected.known) return expected;
  const total = expected.known ? expected.count : 0;
  const byMax = maxUnavailable === undefined ? 0 : Math.max(0, total - resolveAmount(maxUnavailable, total));
  const byMin = minAvailable === undefined ? 0 : resolveAmount(minAvailable, total);
  return { known: true, count: Math.max(byMax, byMin) };
}
