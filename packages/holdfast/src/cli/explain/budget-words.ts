import type { ExpectedSource } from '../../core/verdict.ts';
import type { BudgetView } from '../status/budget-view.ts';
import { budgetKindText } from '../status/status-text.ts';
import { firstOf } from './layout.ts';
import type { UnitView } from './unit-view.ts';

const counted = {
  group: 'counts groups',
  pod: 'counts pods, and is judged by Holdfast',
  builtin: 'counts pods, and is judged by Kubernetes',
  invalid: 'cannot be read',
} as const;

export function budgetTitle({ budget, scope, entangled }: BudgetView): string {
  const how = entangled === undefined ? counted[scope] : `counts pods, and is judged by Holdfast: ${why(entangled)}`;
  return `${budgetKindText(budget.kind)}/${budget.name} (${how})`;
}

function why({ pod, budget }: NonNullable<BudgetView['entangled']>): string {
  if (budget === undefined) return `an eviction of its pod ${pod} is under way`;
  return `it shares pod ${pod} with ${budgetKindText(budget.kind)}/${budget.name}`;
}

const sources: Readonly<Record<ExpectedSource, string>> = {
  budget: 'as the budget itself says',
  workload: 'as the Workload says',
  scale: 'as the scale of the owners says',
  pods: 'as the pods say',
  podGroups: 'as many as there are PodGroups',
  highestIndex: 'by the highest index that is seen',
  seen: 'as many as are seen',
};

/** Where an expected number comes from. */
export function sourceText(source: ExpectedSource): string {
  return sources[source];
}

/** `2 groups available, 1 needed, 2 expected (as the scale of the owners says); 1 may be disrupted now`. */
export function budgetNumbersText(view: BudgetView): string {
  const { unit, available, desired, expected, source, allowed, blocked } = view;
  if (view.scope === 'invalid') return blocked?.message ?? 'it refuses everything that it may cover';
  const total =
    expected === undefined || source === undefined
      ? 'how many there should be is not known'
      : `${expected} expected (${sources[source]})`;
  const numbers = `${available} ${unit}${available === 1 ? '' : 's'} available, ${desired ?? 'an unknown number'} needed, ${total}`;
  if (allowed === undefined)
    return `${numbers}; none may be disrupted: ${blocked?.message ?? 'the reason is not known'}`;
  return `${numbers}; ${allowed} may be disrupted now${blocked === undefined ? '' : `: ${blocked.message}`}`;
}

export function unitText({ name, pods, healthy, minimum, available }: UnitView): string {
  const state = available ? 'is available' : 'is down';
  return `group ${name} ${state}: ${healthy} of ${pods} pods count as up, ${minimum} needed`;
}

const maxDown = 10;

export function downText(down: UnitView['down']): readonly string[] {
  return firstOf(
    down.map(({ pod, why }) => `${pod} ${why}`),
    maxDown,
  );
}
