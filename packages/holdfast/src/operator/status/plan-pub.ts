import { isDeepStrictEqual } from 'node:util';
import type { Condition } from '@holdfast/base/meta';
import type { PodUnavailableBudget, PodUnavailableBudgetStatus } from '../../api/pub/pub.ts';
import type { Guard } from '../../core/status/condition.ts';
import { pubStatus } from '../../core/status/pub-status.ts';
import type { World } from '../../core/world/world.ts';
import { boundedCondition } from './condition-text.ts';
import { pubWarnings, type StatusWarning } from './status-warnings.ts';
import { presentOf, recentOf, stepTo, type WriteStep, type Written } from './written.ts';

export type PubStatus = Partial<PodUnavailableBudgetStatus>;

export interface PubLook {
  readonly world: World;
  readonly shown: PodUnavailableBudget;
  readonly written: Written<PubStatus> | undefined;
  readonly guard: Guard;
  readonly now: number;
  readonly monotonic: number;
}

export interface PubPlan {
  readonly step: WriteStep<PubStatus>;
  /** What it should show now. */
  readonly status: PodUnavailableBudgetStatus;
  /** What turned wrong: to be told when it was written. */
  readonly warnings: readonly StatusWarning[];
  /** A disruption that breaks a unit would be refused. */
  readonly blocked: boolean;
  /** It needs every unit that it can have (I15). */
  readonly never: boolean;
  /** It is not known how many units there should be, and the same spec was judged before. */
  readonly unsure: boolean;
}

/** What to do about the status of a PodUnavailableBudget (S1). Undefined: the world does not know this version of it (U4). */
export function planPub({ world, shown, written, guard, now, monotonic }: PubLook): PubPlan | undefined {
  const { metadata } = shown;
  const present = presentOf<PubStatus>(metadata, shown.status ?? {}, written, monotonic);
  const computed = pubStatus(world, metadata.namespace ?? '', metadata.name, guard, now, present.value);
  if (computed === undefined || computed.observedGeneration !== (metadata.generation ?? 0)) return undefined;
  const status = { ...computed, conditions: (computed.conditions ?? []).map(boundedCondition) };
  const enforced = status.conditions.find((one) => one.type === 'Enforced');
  return {
    step: stepTo<PubStatus>(status, present, recentOf(metadata, written, monotonic), monotonic, sameStatus),
    status,
    warnings: pubWarnings(present.value.conditions, status.conditions),
    blocked: isBlocked(enforced, status),
    never: status.conditions.some((one) => one.type === 'NeverSufficient' && one.status === 'True'),
    unsure: enforced?.reason === 'ExpectedUnknown' && present.value.observedGeneration === computed.observedGeneration,
  };
}

function isBlocked(
  enforced: Condition | undefined,
  { desiredAvailable, unavailableAllowed }: PodUnavailableBudgetStatus,
): boolean {
  // What is observed blocks nothing.
  if (enforced?.reason === 'NotGuarded' || enforced?.reason === 'Observed') return false;
  return enforced?.status === 'False' || (desiredAvailable > 0 && unavailableAllowed === 0);
}

/** Whether two statuses say the same, whenever their conditions began to hold. */
export function sameStatus(one: PubStatus, other: PubStatus): boolean {
  return isDeepStrictEqual(withoutTransitions(one), withoutTransitions(other));
}

function withoutTransitions(status: PubStatus): object {
  const conditions = status.conditions?.map(({ lastTransitionTime: _, ...said }) => said) ?? [];
  return { ...status, conditions };
}
