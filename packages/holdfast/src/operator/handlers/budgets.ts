import { type Fields, isObject } from '@holdfast/base/json';
import { type PodUnavailableBudget, pubGroup } from '../../api/pub/pub.ts';
import { conflictErrors } from '../../api/pub/pub-conflicts.ts';
import { validatePub } from '../../api/pub/pub-validation.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { list } from '../../kube/client/list.ts';
import { type Outcome, succeeded } from '../../kube/outcome/failure.ts';
import type { ObjectCache } from '../../kube/reflector/cache.ts';
import { type Clock, sleep } from '../../kube/time/clock.ts';
import { pubsIn } from '../../observe/resources.ts';
import { answerBad, answerInvalid, answerUnavailable } from '../admission/answers.ts';
import type { WebhookHandler } from '../admission/handler.ts';
import type { AdmissionAnswer } from '../admission/wire/review.ts';
import { AdmittedBudgets } from './admitted-budgets.ts';
import { type BudgetRequest, budgetRequestOf } from './budget-request.ts';
import { budgetWarnings, conflictWarnings } from './budget-warnings.ts';

export interface BudgetsParts {
  /** Good enough to warn by. What may be created is compared with what the API server has now. */
  readonly pubs: ObjectCache<PodUnavailableBudget>;
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Kruise owns these budgets in this cluster, and has its own rules for them. */
  readonly leftToOthers: () => boolean;
}

/** People write budgets, and wait; an API server that takes longer is in trouble. */
const listMs = 3_000;
/** How often a list is read again while an overlapping budget is being stored. */
const relistMs = 100;

type Written = Extract<BudgetRequest, { readonly kind: 'validate' }>;

/**
 * Validates PodUnavailableBudgets. A new one is compared with a consistent list, so two creations in a row cannot both pass. Two at
 * the same moment through two replicas still may: admission is no transaction. That does no harm to the pods, which then need the
 * consent of both (U5).
 */
export function budgetsHandler(parts: BudgetsParts): WebhookHandler {
  const admitted = new AdmittedBudgets();
  return {
    answer(review, { deadline }) {
      const request = budgetRequestOf(review);
      if (request.kind === 'pass' || parts.leftToOthers()) return Promise.resolve({ allowed: true });
      if (request.kind === 'bad') return Promise.resolve(answerBad(request.problem));
      // What is wrong by itself is refused without reading other budgets.
      const errors = validatePub(request.budget, [], request.old);
      if (errors.length > 0) return Promise.resolve(invalid(request.budget, errors));
      if (request.old !== undefined) return Promise.resolve(accept(request, overlapsInView(parts, request)));
      return create(parts, admitted, request, {
        namespace: review.namespace,
        version: review.version,
        dryRun: review.dryRun,
        signal: deadline.signal,
      });
    },
    // A budget that need not be compared with others is answered at once: only a comparison can be in doubt.
    inDoubt: (_review, why) =>
      answerUnavailable(
        `Holdfast could not check the budget ${why === 'late' ? 'in time' : 'because of an internal error'}; retry`,
      ),
  };
}

interface Creation {
  readonly namespace: string;
  /** Of the API, as the client speaks it: so it is served. */
  readonly version: string;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
}

async function create(
  parts: BudgetsParts,
  admitted: AdmittedBudgets,
  request: Written,
  creation: Creation,
): Promise<AdmissionAnswer> {
  const { clock } = parts;
  const { budget } = request;
  for (;;) {
    const others = await neighbours(parts, creation);
    if (!others.ok) {
      return answerUnavailable(
        `Holdfast could not read the budgets of the namespace: ${others.failure.message}; retry`,
      );
    }
    const errors = validatePub(budget, others.value);
    if (errors.length > 0) return invalid(budget, errors);
    const now = clock.monotonic();
    const unstored = conflictErrors(budget, { ...budget.spec }, admitted.missingIn(others.value, now));
    if (unstored.length === 0) {
      if (!creation.dryRun) admitted.add(budget, now);
      return accept(request, []);
    }
    await sleep(clock, relistMs, creation.signal);
  }
}

/** A target cannot be changed, so an update cannot make two budgets overlap: a warning, by what the watch has shown. */
function overlapsInView({ pubs }: BudgetsParts, { budget }: Written): readonly string[] {
  return conflictWarnings(budget, [...pubs.items()]);
}

function invalid({ metadata }: PodUnavailableBudget, errors: ReturnType<typeof validatePub>): AdmissionAnswer {
  return answerInvalid({ group: pubGroup, kind: 'PodUnavailableBudget', name: metadata.name ?? '' }, errors);
}

function accept({ budget }: Written, overlaps: readonly string[]): AdmissionAnswer {
  return { allowed: true, warnings: [...overlaps, ...budgetWarnings(budget)] };
}

/** As they are now, not as a watch has shown them. */
async function neighbours(
  { client, clock }: BudgetsParts,
  { namespace, version, signal }: Creation,
): Promise<Outcome<readonly PodUnavailableBudget[]>> {
  const request = { client, clock, resource: pubsIn(version), selection: { namespace }, project: placeAndSpec };
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
