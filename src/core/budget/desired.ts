import { resolveAmount } from '../../api/int-or-string.ts';
import type { ExpectedSource } from '../verdict.ts';
import type { Limit } from './rules.ts';

/** How many units there should be, or why nobody knows. */
export type Expected =
  | { readonly known: true; readonly count: number; readonly source: ExpectedSource }
  | { readonly known: false; readonly why: string };

export type Desired =
  | { readonly known: true; readonly count: number }
  | { readonly known: false; readonly why: string };

/** The number of available units that a budget wants (N3). An integer minAvailable wants its number, whatever is expected. */
export function desiredOf(limit: Limit, expected: Expected): Desired {
  const { minAvailable, maxUnavailable } = limit;
  const needsExpected = maxUnavailable !== undefined || minAvailable?.kind === 'percent';
  if (needsExpected && !expected.known) return { known: false, why: expected.why };
  const total = expected.known ? expected.count : 0;
  const byMax = maxUnavailable === undefined ? 0 : Math.max(0, total - resolveAmount(maxUnavailable, total));
  const byMin = minAvailable === undefined ? 0 : resolveAmount(minAvailable, total);
  return { known: true, count: Math.max(byMax, byMin) };
}
