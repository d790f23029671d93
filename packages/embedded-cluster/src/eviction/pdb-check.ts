import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { type ApiError, forbidden, ApiError as Refusal, tooManyRequests } from '../errors.ts';

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
  const negative = 'pdb disruptions allowed is negative';
  if (allowed < 0) return refused(forbiddenBudget(name, negative, negative));
  if (Object.keys(status?.disruptedPods ?? {}).length > maxDisruptedPods) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    return refused(forbiddenBudget(name, why, 'too many pending evictions not confirmed by PDB controller'));
  }
  if (status === undefined || allowed === 0) return refused(notNow(name, status));
  return { kind: 'allowed', status: spent(status, podName, now) };
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
  if (condition?.status === 'False' && condition.reason === 'SyncFailed' && condition.message) {
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

/** The real server has the resource in the singular here. */
const budgetResource = { group: 'policy', resource: 'poddisruptionbudget' };

function forbiddenBudget(budget: string, why: string, inShort: string): ApiError {
  const { status } = forbidden(budgetResource, budget, why);
  const message = `The disruption budget ${budget} does not allow evicting pods currently: ${inShort}`;
  return new Refusal({ ...status, details: { ...status.details, causes: [{ reason: 'DisruptionBudget', message }] } });
}

type PdbStatus = NonNullable<PodDisruptionBudget['status']>;

function spent(status: PdbStatus, podName: string, now: string): PdbStatus {
  const left = status.disruptionsAllowed - 1;
  return {
    ...status,
    disruptionsAllowed: left,
    disruptedPods: { ...status.disruptedPods, [podName]: now },
    ...(left === 0 ? { conditions: withInsufficient(status, now) } : {}),
  };
}

type Conditions = NonNullable<PdbStatus['conditions']>;

/** In its place among the others. */
function withInsufficient({ conditions = [], observedGeneration }: PdbStatus, now: string): Conditions {
  const before = conditions.find(({ type }) => type === 'DisruptionAllowed');
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    lastTransitionTime: before?.status === 'False' ? before.lastTransitionTime : now,
    reason: 'InsufficientPods',
    message: '',
  };
  return before ? conditions.map((one) => (one === before ? condition : one)) : [...conditions, condition];
}
