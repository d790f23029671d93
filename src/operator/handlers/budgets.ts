import { type Fields, isObject } from '../../api/json.ts';
import { type PodUnavailableBudget, pubGroup } from '../../api/pub.ts';
import { validatePub } from '../../api/pub-validation.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { list } from '../../kube/client/list.ts';
import { type Outcome, succeeded } from '../../kube/outcome/failure.ts';
import type { ObjectCache } from '../../kube/reflector/cache.ts';
import type { Clock } from '../../kube/time/clock.ts';
import { answerBad, answerInvalid, answerUnavailable } from '../admission/answers.ts';
import type { WebhookHandler } from '../admission/handler.ts';
import type { AdmissionAnswer } from '../admission/review-answer.ts';
import { resources } from '../resources.ts';
import { type BudgetRequest, budgetRequestOf } from './budget-request.ts';
import { budgetWarnings, conflictWarnings } from './budget-warnings.ts';

export interface BudgetsParts {
  readonly pubs: ObjectCache<PodUnavailableBudget>;
  /** Asked only while the cache is not synced. */
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Somebody else owns these budgets in this cluster, and has rules of their own for them. */
  readonly leftToOthers: () => boolean;
}

/** People write budgets, and wait; an API server that takes longer is in trouble. */
const listMs = 3_000;

/**
 * Validates PodUnavailableBudgets. Other budgets come from a view that lags, so two that overlap and are written at the same
 * moment may both pass; that does no harm, because a pod then needs the consent of both (U5).
 */
export function budgetsHandler(parts: BudgetsParts): WebhookHandler {
  return {
    async answer(review, { deadline }) {
      const request = budgetRequestOf(review);
      if (request.kind === 'pass' || parts.leftToOthers()) return { allowed: true };
      if (request.kind === 'bad') return answerBad(request.problem);
      const others = await neighbours(parts, review.namespace, deadline.signal);
      if (others.ok) return judge(request, others.value);
      return answerUnavailable(`the budgets of the namespace are not known: ${others.failure.message}`);
    },
    // What needs nobody else's budgets is answered at once: only what has to be compared can be in doubt.
    inDoubt: (_review, why) =>
      answerUnavailable(
        `the budget could not be checked ${why === 'late' ? 'in time' : 'because of a failure of ours'}`,
      ),
  };
}

function judge(
  { budget, old }: Extract<BudgetRequest, { readonly kind: 'validate' }>,
  others: readonly PodUnavailableBudget[],
): AdmissionAnswer {
  const errors = validatePub(budget, old === undefined ? others : [], old);
  if (errors.length > 0) {
    return answerInvalid({ group: pubGroup, kind: 'PodUnavailableBudget', name: budget.metadata.name ?? '' }, errors);
  }
  const overlaps = old === undefined ? [] : conflictWarnings(budget, others);
  return { allowed: true, warnings: [...overlaps, ...budgetWarnings(budget)] };
}

async function neighbours(
  { pubs, client, clock }: BudgetsParts,
  namespace: string,
  signal: AbortSignal,
): Promise<Outcome<readonly PodUnavailableBudget[]>> {
  if (pubs.synced) return succeeded([...pubs.items()].filter((pub) => pub.metadata.namespace === namespace));
  const request = { client, clock, resource: resources.pubs, selection: { namespace }, project: placeAndSpec };
  const listed = await list({ ...request, deadlineMs: listMs, signal });
  return listed.ok ? succeeded(listed.value.items) : listed;
}

/** All that a comparison reads, which takes it for unchecked. */
function placeAndSpec({ metadata, spec }: Fields): PodUnavailableBudget {
  const { name, namespace } = isObject(metadata) ? metadata : {};
  return {
    metadata: { name: String(name), namespace: String(namespace) },
    ...(isObject(spec) ? { spec } : {}),
  };
}
