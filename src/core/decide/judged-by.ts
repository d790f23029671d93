import { maxJudges, type Reservation } from '../../api/ledger.ts';
import type { Judge } from './judges.ts';

/** What a reservation records of the budgets that allowed it (I14). Undefined: there are too many of them. */
export function digestsOf(judges: readonly Judge[]): readonly string[] | undefined {
  const digests = [...new Set(judges.map(digestOf))];
  return digests.length > maxJudges ? undefined : digests;
}

/**
 * Whether a reservation speaks for these budgets: each of them judged it, by the rules that it has now. Fewer may judge now than
 * then, because a DELETE is not judged by PodDisruptionBudgets, or because a budget was deleted.
 */
export function wasJudgedBy({ judgedBy }: Reservation, judges: readonly Judge[]): boolean {
  return judgedBy !== undefined && judges.every((judge) => judgedBy.includes(digestOf(judge)));
}

function digestOf(judge: Judge): string {
  return 'pdb' in judge ? judge.pdb.digest : judge.pub.digest;
}
