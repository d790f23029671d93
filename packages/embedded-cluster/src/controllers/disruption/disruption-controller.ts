import type { Client } from '../../client.ts';
import { isApiError } from '../../errors.ts';
import type { ResourceTypes } from '../../kinds/resource-type.ts';
import { keyOf, splitKey } from '../../objects.ts';
import { EventRecorder } from '../common/events.ts';
import { errorMessageOf } from '../common/pod-writer.ts';
import type { PodObject } from '../common/workloads.ts';
import { type Controller, type ControllerContext, Reconciler, type Requeue } from '../controller.ts';
import { type BudgetObject, type BudgetStatus, budgetSelectorOf, budgets } from './budget.ts';
import { failedStatus } from './budget-status.ts';
import { BudgetIndex, PodIndex } from './label-index.ts';
import { planBudget, type SelectedPods } from './plan-disruption.ts';
import { createFindScale, type FindScale } from './scales.ts';
import { createStaleTargets, staleTargetInMs } from './stale-targets.ts';

export interface DisruptionOptions {
  /** Where scales of custom resources are looked up. */
  readonly types: ResourceTypes;
}

/** Looks again just after an entry has run out, not at the very moment. */
const pastExpiryMs = 5;

interface Tools {
  readonly context: ControllerContext;
  readonly client: Client;
  readonly events: EventRecorder;
  readonly findScale: FindScale;
  readonly pods: PodIndex;
}

/** Keeps the status of PodDisruptionBudgets, which evictions are judged by. */
export function startDisruptionController(context: ControllerContext, { types }: DisruptionOptions): Controller {
  const { view } = context;
  const client = context.clientFor('disruption-controller');
  const events = new EventRecorder(context, client, 'controllermanager');
  const pods = new PodIndex();
  const index = new BudgetIndex();
  const tools: Tools = { context, client, events, findScale: createFindScale(view, types), pods };
  const reconciler = new Reconciler(context, {
    name: 'disruption-controller',
    reconcile: (key) => reconcile(tools, key),
  });
  const stale = createStaleTargets(context, client);
  const watching = [
    view.watch(budgets, (event) => {
      index.update(event);
      reconciler.add(keyOf(event.object));
    }),
    // Only budgets that select the pod as it is now: one that it has left learns of it with its next look.
    view.watch('pods', (event) => {
      pods.update(event);
      const { type } = event;
      const pod = event.object as PodObject;
      const over = index.over(pod);
      if (over.length > 1) events.event(pod, 'Warning', 'MultiplePodDisruptionBudgets', chosenText(pod, over));
      for (const budget of over) reconciler.add(keyOf(budget));
      const wait = type === 'DELETED' ? undefined : staleTargetInMs(pod, context.clock.now());
      if (wait !== undefined) stale.addAfter(keyOf(pod), wait);
    }),
  ];
  return {
    stop() {
      for (const subscription of watching) subscription.stop();
      reconciler.stop();
      stale.stop();
    },
  };
}

function chosenText({ metadata: { namespace, name } }: PodObject, budgets: readonly BudgetObject[]): string {
  const chosen = budgets[0]?.metadata.name;
  return `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.  Chose "${chosen}" arbitrarily.`;
}

function selectedPods(pods: PodIndex, budget: BudgetObject): SelectedPods {
  const reading = budgetSelectorOf(budget);
  if (reading.kind === 'error') return reading;
  if (reading.kind === 'nothing') return { kind: 'pods', pods: [] };
  return { kind: 'pods', pods: pods.select(budget.metadata.namespace ?? '', reading.selector) };
}

async function reconcile(tools: Tools, key: string): Promise<Requeue | undefined> {
  const { context, events } = tools;
  const { namespace, name } = splitKey(key);
  const budget = context.view.get<BudgetObject>(budgets, namespace, name);
  if (budget === undefined) return undefined;
  const now = context.clock.now();
  const plan = planBudget(budget, selectedPods(tools.pods, budget), tools.findScale, now);
  for (const { about, type, reason, message } of plan.events) events.event(about, type, reason, message);
  try {
    if (plan.status !== undefined) await write(tools, budget, plan.status);
  } catch (error) {
    // After a conflict the newer object is reconciled next; any other refusal closes the budget.
    if (isApiError(error, 409)) throw error;
    await write(tools, budget, failedStatus(budget, errorMessageOf(error), context.clock.now()));
    return undefined;
  }
  return plan.recheckAtMs === undefined ? undefined : { afterMs: plan.recheckAtMs - now + pastExpiryMs };
}

async function write({ client }: Tools, budget: BudgetObject, status: BudgetStatus): Promise<void> {
  await client.update(budgets, { ...budget, status }, { subresource: 'status' });
}
