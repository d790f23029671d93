import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { type ApiError, ApiError as Refusal, tooManyRequests } from '../errors.ts';

/** How many evictions that have not been seen to happen one budget keeps count of. */
const maxDisruptedPods = 2000;

export type BudgetCheck =
  | { readonly kind: 'allowed'; readonly status: PodDisruptionBudget['status'] }
  | { readonly kind: 'refused'; readonly error: ApiError };

/** One eviction against one budget, as its status stands: what the status becomes, or why not. */
export function checkAndDecrement(budget: PodDisruptionBudget, podName: string, now: string): BudgetCheck {
  const name = budget.metadata?.name ?? '';
  const status = budget.status;
  if ((status?.observedGeneration ?? 0) < (budget.metadata?.generation ?? 0)) return refused(stillProcessing(name));
  const allowed = status?.disruptionsAllowed ?? 0;
  if (allowed < 0) return refused(forbiddenBudget(name, 'pdb disruptions allowed is negative'));
  if (Object.keys(status?.disruptedPods ?? {}).length > maxDisruptedPods) {
    return refused(
      forbiddenBudget(name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller'),
    );
  }
  if (status === undefined || allowed === 0) return refused(notNow(name, status));
  return { kind: 'allowed', status: spent(status, podName, now, budget.metadata?.generation ?? 0) };
}

function refused(error: ApiError): BudgetCheck {
  return { kind: 'refused', error };
}

const notNowMessage = "Cannot evict pod as it would violate the pod's disruption budget.";
const retryWhileProcessing = 10;

export function stillProcessing(budget: string): ApiError {
  return tooManyRequests(notNowMessage, retryWhileProcessing, [
    { reason: 'DisruptionBudget', message: `The disruption budget ${budget} is still being processed by the server.` },
  ]);
}

function notNow(budget: string, status: PodDisruptionBudget['status']): ApiError {
  return tooManyRequests(notNowMessage, 0, [{ reason: 'DisruptionBudget', message: whyNotNow(budget, status) }]);
}

function whyNotNow(budget: string, status: PodDisruptionBudget['status']): string {
  const condition = status?.conditions?.find(({ type }) => type === 'DisruptionAllowed');
  if (condition?.reason === 'SyncFailed' && condition.message) {
    return `The disruption budget ${budget} does not allow evicting pods currently because it failed sync: ${condition.message}`;
  }
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${budget} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  if (condition?.status === 'False' && condition.message) {
    return `The disruption budget ${budget} does not allow evicting pods currently (${condition.reason}): ${condition.message}`;
  }
  return `The disruption budget ${budget} does not allow evicting pods currently`;
}

function forbiddenBudget(budget: string, why: string): ApiError {
  return new Refusal({
    code: 403,
    reason: 'Forbidden',
    message: `poddisruptionbudgets.policy "${budget}" is forbidden: ${why}`,
    details: {
      name: budget,
      group: 'policy',
      kind: 'poddisruptionbudgets',
      causes: [{ reason: 'DisruptionBudget', message: why }],
    },
  });
}

type PdbStatus = NonNullable<PodDisruptionBudget['status']>;

function spent(status: PdbStatus, podName: string, now: string, generation: number): PdbStatus {
  const left = status.disruptionsAllowed - 1;
  return {
    ...status,
    disruptionsAllowed: left,
    disruptedPods: { ...status.disruptedPods, [podName]: now },
    ...(left === 0 ? { conditions: withInsufficient(status.conditions ?? [], now, generation) } : {}),
  };
}

type Conditions = NonNullable<PdbStatus['conditions']>;

function withInsufficient(conditions: Conditions, now: string, generation: number): Conditions {
  const before = conditions.find(({ type }) => type === 'DisruptionAllowed');
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration: generation,
    lastTransitionTime: before?.status === 'False' ? before.lastTransitionTime : now,
    reason: 'InsufficientPods',
    message: '',
  };
  return [...conditions.filter(({ type }) => type !== 'DisruptionAllowed'), condition];
}
