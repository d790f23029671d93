import type { Condition } from '@holdfast/base/meta';
import type { PodUnavailableBudget } from '../../api/pub/pub.ts';
import type { ConditionCode } from '../../api/refusals/reasons.ts';
import { keepTransition, statusTime } from '../../core/status/condition.ts';

const reason: ConditionCode = 'LeftToKruise';
/** What we say about budgets that we judge. */
const ours: ReadonlySet<string> = new Set<ConditionCode | 'TooManyBudgets'>([
  'Enforced',
  'NeverSufficient',
  'TooManyBudgets',
  'MissingGroupLabel',
  'UnreachableMinReadyReplicas',
  'MinReadyReplicasBelowSize',
  'UnitsForgettable',
  'WorkloadNotFound',
]);

/** Whether it says already that it is not ours. */
export function saysLeft({ status }: PodUnavailableBudget): boolean {
  return status?.conditions?.some((one) => one.type === 'Enforced' && one.reason === reason) === true;
}

/** The conditions of a budget that Kruise's webhooks judge: what we said before is no longer so. */
export function leftConditions({ status }: PodUnavailableBudget, now: number): readonly Condition[] {
  const left: Condition = {
    type: 'Enforced',
    status: 'False',
    reason,
    message:
      "OpenKruise enforces this budget, not Holdfast: OpenKruise's webhooks are registered for PodUnavailableBudgets",
  };
  const others = status?.conditions?.filter(({ type }) => !ours.has(type)) ?? [];
  return [...others, keepTransition(left, status?.conditions, statusTime(now))];
}
