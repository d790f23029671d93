import { digest } from '../digest.ts';

/**
 * Part of every digest that a reservation records of its budgets (I14). A version that handles reservations otherwise than the one before
 * it gets another word here: then no replica of either version answers a request by a reservation of the other. Each judges the
 * request again, and reserves for itself (ADR 0057). `c`: a request that is answered by a reservation takes its claim off.
 */
const handling = 'c';

/** What a reservation records of a budget that judged it. `signature`: its uid and everything that it is judged by. */
export function budgetDigest(signature: string): string {
  return digest(`${handling} ${signature}`);
}
