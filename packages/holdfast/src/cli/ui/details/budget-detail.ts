import type { BuiltinStatus } from '../../../observe/once/builtin-status.ts';
import type { LiveWorld } from '../../../observe/once/live-world.ts';
import type { BudgetDetail, BuiltinNote } from '../../../ui/details.ts';
import type { BudgetBar } from '../../../ui/model.ts';
import { budgetText, mayBreak } from '../../explain/budget-text.ts';
import { budgetNumbersText, sourceText } from '../../explain/budget-words.ts';
import { explainBudget } from '../../explain/explain-budget.ts';
import { budgetAt } from '../overview/budget-bars.ts';
import { type ConfirmedAt, groupRows } from '../overview/group-rows.ts';
import { askedNote, blockerNote, command, explained, reservationNote, wordsAt } from './notes.ts';

export interface BudgetDetailFacts {
  readonly live: LiveWorld;
  /** As the overview has it. */
  readonly bar: BudgetBar;
  readonly confirmedAt: ConfirmedAt;
  readonly manifest: string;
  /** Words of a command line that name the cluster. */
  readonly access: readonly string[];
}

/** Of more groups, or pods of a group, the page shows the first; those that are down come first. */
const maxRows = 5_000;
const maxDots = 500;

/** Undefined: there is no such budget. */
export function budgetDetail({
  live,
  bar,
  confirmedAt,
  manifest,
  access,
}: BudgetDetailFacts): BudgetDetail | undefined {
  const { kind, namespace, name } = bar;
  const explanation = explainBudget(live, kind, { namespace, name });
  const state = budgetAt(live.world, kind, namespace, name);
  if (explanation === undefined || state === undefined) return undefined;
  const { budget, asked, down, evictable, reasons, reservations, kubernetes } = explanation;
  const { readAt: at, gaps } = live;
  return {
    ...explained({
      at,
      yes: mayBreak(explanation),
      text: budgetText(explanation, wordsAt(at)),
      refusals: budget.blocked === undefined ? [] : [budget.blocked.code],
      gaps,
      commands: [command('Explain it in a terminal', ['explain', `${kind}/${name}`, '-n', namespace, ...access])],
    }),
    budget: bar,
    numbers: budgetNumbersText(budget),
    ...(budget.source === undefined ? {} : { source: sourceText(budget.source) }),
    asked: askedNote(asked),
    groups: budget.unit === 'group' ? groupRows(state, { confirmedAt, maxRows, maxDots }) : [],
    down,
    evictable,
    reasons: reasons.map(({ pods, example, blocker }) => ({ pods, example, blocker: blockerNote(blocker) })),
    reservations: reservations.map(reservationNote),
    ...(kubernetes === undefined ? {} : { kubernetes: builtinNote(kubernetes) }),
    manifest,
  };
}

function builtinNote(status: BuiltinStatus): BuiltinNote {
  const {
    disruptionsAllowed: allowed,
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
  } = status;
  const text = `counts pods: ${healthy} of ${expected} ready, ${desired} needed, ${allowed} may be evicted`;
  return { text, allowed, healthy, desired, expected };
}
