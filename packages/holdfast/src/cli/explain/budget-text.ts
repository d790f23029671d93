import { compareStrings } from '../../core/compare.ts';
import type { Asked } from './answer.ts';
import { budgetNumbersText, budgetTitle, downText, unitText } from './budget-words.ts';
import type { BudgetExplanation } from './explain-budget.ts';
import { firstOf, section } from './layout.ts';
import { blockerLines, reservationText, type WordsOptions } from './pod-text.ts';

const maxGroups = 20;

export function budgetText(explanation: BudgetExplanation, { paint, now }: WordsOptions): string {
  const { budget, asked, groups, reservations, kubernetes } = explanation;
  const name = paint('strong', `${budget.budget.kind} ${budget.budget.namespace}/${budget.budget.name}`);
  const may = mayBreak(explanation)
    ? paint('good', 'it allows a disruption now')
    : paint('bad', 'it allows no disruption now');
  return [
    `${name}: ${may}.\n  ${budgetTitle(budget)}: ${budgetNumbersText(budget)}\n  ${askedText(asked)}`,
    ...(groups.length === 0 ? [] : [section('Groups', firstOf(groups.map(unitText), maxGroups), paint)]),
    section('Pods', podLines(explanation), paint),
    ...reasonSection(explanation, paint),
    ...(reservations.length === 0
      ? []
      : [
          section(
            'Under way',
            reservations.map((one) => reservationText(one, now)),
            paint,
          ),
        ]),
    ...(kubernetes === undefined ? [] : [section("Kubernetes' own check", [statusText(kubernetes)], paint)]),
  ].join('\n\n');
}

function askedText(asked: Asked): string {
  switch (asked.kind) {
    case 'yes':
      return 'Holdfast is asked here';
    case 'observed':
      return `Holdfast observes here, and refuses nothing: ${asked.why}`;
    default:
      return `whether Holdfast is asked here: ${asked.kind}, ${asked.why}`;
  }
}

/** A budget that desires nothing refuses nothing. */
export function mayBreak({ budget }: BudgetExplanation): boolean {
  return budget.blocked === undefined;
}

function podLines({ budget, down, evictable }: BudgetExplanation): readonly string[] {
  const alone = evictable === 1 ? '1 could be evicted now' : `${evictable} could be evicted now, each alone`;
  return [`${budget.pods} covered, ${budget.pods - down.length} count as up, ${alone}`, ...downText(down)];
}

function reasonSection({ reasons }: BudgetExplanation, paint: WordsOptions['paint']): readonly string[] {
  if (reasons.length === 0) return [];
  const lines = [...reasons]
    .sort((a, b) => b.pods - a.pods || compareStrings(a.blocker.code, b.blocker.code))
    .flatMap(({ pods, example, blocker }) => [
      `${pods} ${pods === 1 ? 'pod' : 'pods'}, such as ${example}:`,
      ...blockerLines(blocker).map((line) => `  ${line}`),
    ]);
  return [section('Why pods cannot be evicted', lines, paint)];
}

function statusText({
  disruptionsAllowed,
  currentHealthy,
  desiredHealthy,
  expectedPods,
}: NonNullable<BudgetExplanation['kubernetes']>): string {
  return `counts pods: ${currentHealthy} of ${expectedPods} ready, ${desiredHealthy} needed, ${disruptionsAllowed} may be evicted`;
}
