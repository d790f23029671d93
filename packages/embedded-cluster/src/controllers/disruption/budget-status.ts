import { sameJson } from '@holdfast/base/json';
import type { Condition } from 'kubernetes-types/meta/v1.js';
import { timestamp } from '../../time/clock.ts';
import { findCondition } from '../common/conditions.ts';
import type { BudgetObject, BudgetStatus } from './budget.ts';

export interface Numbers {
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
  readonly disruptedPods: ReadonlyMap<string, string>;
}

const conditionType = 'DisruptionAllowed';

/** The status with these numbers; undefined where it says all of that already. */
export function statusWith(budget: BudgetObject, numbers: Numbers, nowMs: number): BudgetStatus | undefined {
  const { currentHealthy, desiredHealthy, expectedPods } = numbers;
  const spare = currentHealthy - desiredHealthy;
  // No pods expected: the first ones that appear are not to be taken for spare ones.
  const disruptionsAllowed = expectedPods <= 0 || spare <= 0 ? 0 : spare;
  const counts = { currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed };
  const disruptedPods = Object.fromEntries(numbers.disruptedPods);
  if (isUpToDate(budget, counts, disruptedPods)) return undefined;
  const generation = budget.metadata.generation ?? 0;
  const allowed = disruptionsAllowed > 0;
  const condition = {
    type: conditionType,
    status: allowed ? 'True' : 'False',
    reason: allowed ? 'SufficientPods' : 'InsufficientPods',
    message: '',
    ...(generation > 0 ? { observedGeneration: generation } : {}),
  };
  return {
    ...(generation > 0 ? { observedGeneration: generation } : {}),
    ...(numbers.disruptedPods.size > 0 ? { disruptedPods } : {}),
    ...counts,
    conditions: withStatusCondition(budget.status?.conditions, condition, nowMs),
  };
}

/** Nothing may go while the budget cannot be worked out; the other numbers stay as they were last known. */
export function failedStatus(budget: BudgetObject, message: string, nowMs: number): BudgetStatus {
  const before = budget.status ?? { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, disruptionsAllowed: 0 };
  const condition = {
    type: conditionType,
    status: 'False',
    reason: 'SyncFailed',
    message,
    ...(before.observedGeneration === undefined ? {} : { observedGeneration: before.observedGeneration }),
  };
  return { ...before, disruptionsAllowed: 0, conditions: withStatusCondition(before.conditions, condition, nowMs) };
}

function isUpToDate(
  { status, metadata }: BudgetObject,
  counts: Pick<BudgetStatus, 'currentHealthy' | 'desiredHealthy' | 'expectedPods' | 'disruptionsAllowed'>,
  disruptedPods: Readonly<Record<string, string>>,
): boolean {
  const condition = findCondition(status?.conditions, conditionType);
  const allowed = counts.disruptionsAllowed > 0;
  return (
    status !== undefined &&
    condition !== undefined &&
    (status.observedGeneration ?? 0) === (metadata.generation ?? 0) &&
    status.currentHealthy === counts.currentHealthy &&
    status.desiredHealthy === counts.desiredHealthy &&
    status.expectedPods === counts.expectedPods &&
    status.disruptionsAllowed === counts.disruptionsAllowed &&
    sameJson(status.disruptedPods ?? {}, disruptedPods) &&
    condition.status === (allowed ? 'True' : 'False') &&
    condition.reason === (allowed ? 'SufficientPods' : 'InsufficientPods')
  );
}

/** In its place among the others; a transition is a change of status. */
function withStatusCondition(
  conditions: readonly Condition[] | undefined,
  next: Omit<Condition, 'lastTransitionTime'>,
  nowMs: number,
): Condition[] {
  const before = findCondition(conditions, next.type);
  const since = before?.status === next.status ? before.lastTransitionTime : timestamp(nowMs);
  const stamped: Condition = { ...next, lastTransitionTime: since };
  if (before === undefined) return [...(conditions ?? []), stamped];
  return (conditions ?? []).map((condition) => (condition.type === next.type ? stamped : condition));
}
