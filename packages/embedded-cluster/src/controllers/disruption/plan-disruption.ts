/** What the disruption controller does about one budget, worked out from what is there. */

import type { EventType } from '../common/events.ts';
import type { PodObject } from '../common/workloads.ts';
import type { BudgetObject, BudgetStatus } from './budget.ts';
import { failedStatus, statusWith } from './budget-status.ts';
import { disruptedPods, healthyPods } from './disrupted-pods.ts';
import { expectedPods } from './expected.ts';
import type { FindScale } from './scales.ts';
import { selectorAsGoText } from './selector-text.ts';

export interface PlannedEvent {
  readonly about: BudgetObject | PodObject;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

export interface BudgetPlan {
  /** Undefined: leave it is. */
  readonly status: BudgetStatus | undefined;
  readonly events: readonly PlannedEvent[];
  readonly recheckAtMs: number | undefined;
}

export type SelectedPods =
  | { readonly kind: 'pods'; readonly pods: readonly PodObject[] }
  | { readonly kind: 'error'; readonly message: string };

export function planBudget(
  budget: BudgetObject,
  selected: SelectedPods,
  findScale: FindScale,
  nowMs: number,
): BudgetPlan {
  if (selected.kind === 'error') {
    const message = `Failed to get pods: ${selected.message}`;
    return failure(budget, 'NoPods', message, selected.message, [], nowMs);
  }
  const { pods } = selected;
  const events = pods.length === 0 ? [about(budget, 'Normal', 'NoPods', 'No matching pods found')] : [];
  const expectation = expectedPods(budget, pods, findScale);
  if (expectation.kind === 'error') {
    const message = `Failed to calculate the number of expected pods: ${expectation.message}`;
    return failure(budget, 'CalculateExpectedPodCountFailed', message, expectation.message, events, nowMs);
  }
  if (expectation.unmanaged) events.push(about(budget, 'Warning', 'UnmanagedPods', unmanagedText(budget)));
  const disrupted = disruptedPods(budget.status, pods, nowMs);
  const numbers = {
    currentHealthy: healthyPods(pods, disrupted, nowMs),
    desiredHealthy: expectation.desired,
    expectedPods: expectation.expected,
    disruptedPods: disrupted.entries,
  };
  return {
    status: statusWith(budget, numbers, nowMs),
    events: [...events, ...disrupted.stayed.map((pod) => about(pod, 'Warning', 'NotDeleted', notDeletedText(budget)))],
    recheckAtMs: disrupted.recheckAtMs,
  };
}

function failure(
  budget: BudgetObject,
  reason: string,
  text: string,
  error: string,
  events: readonly PlannedEvent[],
  nowMs: number,
): BudgetPlan {
  return {
    status: failedStatus(budget, error, nowMs),
    events: [...events, about(budget, 'Warning', reason, text)],
    recheckAtMs: undefined,
  };
}

function about(object: BudgetObject | PodObject, type: EventType, reason: string, message: string): PlannedEvent {
  return { about: object, type, reason, message };
}

function unmanagedText({ spec }: BudgetObject): string {
  return (
    `Pods selected by this PodDisruptionBudget (selector: ${selectorAsGoText(spec?.selector)}) were found to be unmanaged. ` +
    'As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. ' +
    'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
  );
}

/** Kubernetes prints the namespace twice. */
function notDeletedText({ metadata }: BudgetObject): string {
  return `Pod was expected by PDB ${metadata.namespace}/${metadata.namespace} to be deleted but it wasn't`;
}
