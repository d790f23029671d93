import type { DisruptionLedger, Overdue } from '../../../src/api/ledger.ts';
import type { BudgetNumbers } from '../../../src/core/budget/numbers.ts';
import type { DrainSimulation } from '../../../src/core/drain/simulate.ts';
import type { PruneOutcome } from '../../../src/core/ledger/prune.ts';
import type { Blocker, BudgetRef, Charge, Verdict } from '../../../src/core/verdict.ts';

/** How verdicts and ledgers read in a transcript. Numbers and names only: the sentences for people have tests of their own. */

export function verdictLine(pod: string, verdict: Verdict): string {
  if (verdict.result === 'deny') return `${pod} refused: ${verdict.blockers.map(blockerWords).join('; and ')}`;
  const cost = verdict.charges.map(chargeWords).join('; and ');
  return cost === '' ? `${pod} allowed: ${verdict.reason}` : `${pod} allowed: ${cost}`;
}

function chargeWords(charge: Charge): string {
  const what = {
    breaks: `breaks ${charge.unitKind} ${charge.unit}`,
    surplus: `${charge.unitKind} ${charge.unit} can spare it`,
    down: `${charge.unitKind} ${charge.unit} is down anyway`,
  };
  return `${what[charge.effect]} (${budgetWords(charge.budget)}: ${charge.available} available, ${charge.desired} needed)`;
}

function blockerWords(blocker: Blocker): string {
  const { budget, unit, unitKind, available, desired } = blocker;
  const numbers = available === undefined ? '' : `: ${available} available, ${desired} needed`;
  const by = budget === undefined ? '' : ` (${budgetWords(budget)}${numbers})`;
  return `${blocker.code}${unit === undefined ? '' : ` for ${unitKind} ${unit}`}${by}`;
}

function budgetWords({ kind, name }: BudgetRef): string {
  return `${kind === 'PodDisruptionBudget' ? 'pdb' : 'pub'} ${name}`;
}

export function numbersLine(numbers: BudgetNumbers | undefined): string {
  if (numbers === undefined) return 'no such budget';
  const { available, desired, expected, source } = numbers;
  return `${available} available, ${desired} needed, ${expected} expected (by ${source})`;
}

export function pruneLines(
  before: DisruptionLedger | undefined,
  outcome: PruneOutcome,
  now: number,
): readonly string[] {
  const known = new Map(before?.spec?.reservations?.map((one) => [one.uid, note(one.overdue)]));
  const notes = (outcome.ledger?.spec?.reservations ?? []).flatMap(({ pod, uid, overdue }) => {
    if (overdue === undefined || known.get(uid) === note(overdue)) return [];
    return [
      `${pod} overdue: ${overdue.phase === 'waiting' ? 'requests may be under way' : 'nothing is under way any more'}`,
    ];
  });
  const released = outcome.released.map(({ reservation, why }) => `${reservation.pod} released: ${why}`);
  const next = outcome.nextCheckAt === undefined ? [] : [`look again in ${(outcome.nextCheckAt - now) / 1_000}s`];
  const lines = [...released, ...notes, ...next];
  return lines.length === 0 ? ['nothing to do'] : lines;
}

function note(overdue: Overdue | undefined): string {
  return `${overdue?.phase} by ${overdue?.by}`;
}

export function drainLines({ rounds, stuck }: DrainSimulation): readonly string[] {
  const names = (steps: readonly { readonly pod: { readonly name: string } }[]): string =>
    steps.map((step) => step.pod.name).join(' ');
  const lines = rounds.map((round, index) => `round ${index + 1}: ${names(round)}`);
  return stuck.length === 0 ? lines : [...lines, `never: ${names(stuck)}`];
}
