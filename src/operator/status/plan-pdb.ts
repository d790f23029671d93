import type { Condition } from '../../api/meta.ts';
import { condition } from '../../api/names.ts';
import type { PodDisruptionBudget } from '../../api/pdb.ts';
import type { Guard } from '../../core/status/condition.ts';
import { pdbReport } from '../../core/status/pdb-condition.ts';
import type { World } from '../../core/world/world.ts';
import { boundedCondition, sameCondition } from './condition-text.ts';
import { pdbWarnings, type StatusWarning } from './status-warnings.ts';
import { presentOf, recentOf, type Step, stepTo, type Written } from './written.ts';

/** Undefined: the budget is plain, as it was meant to be, and shows nothing of ours. */
export type PdbCondition = Condition | undefined;

export interface PdbLook {
  readonly world: World;
  readonly shown: PodDisruptionBudget;
  readonly written: Written<PdbCondition> | undefined;
  readonly guard: Guard;
  readonly now: number;
  readonly monotonic: number;
}

export interface PdbPlan {
  readonly step: Step<PdbCondition>;
  readonly condition: PdbCondition;
  /** What the object showed before. */
  readonly before: PdbCondition;
  /** Everything there is to warn of now, told already or not. */
  readonly warnings: readonly StatusWarning[];
  /** It is judged by us, and its numbers are ours to show. */
  readonly ours: boolean;
  /** A disruption that breaks a unit would be refused. */
  readonly blocked: boolean;
  /** It is not known how many units there should be, and it was judged before. */
  readonly unsure: boolean;
}

/** What to do about our condition on a PodDisruptionBudget (S2). Undefined: the world does not know it. */
export function planPdb({ world, shown, written, guard, now, monotonic }: PdbLook): PdbPlan | undefined {
  const { metadata } = shown;
  const namespace = metadata.namespace ?? '';
  const state = world.namespace(namespace)?.pdbs.get(metadata.name);
  if (state === undefined) return undefined;
  const present = presentOf(metadata, groupBudgetOf(shown), written, monotonic);
  const previous = present.value === undefined ? [] : [present.value];
  const report = pdbReport(world, namespace, metadata.name, guard, now, previous);
  const next = report?.condition === undefined ? undefined : boundedCondition(report.condition);
  return {
    step: stepTo(next, present, recentOf(metadata, written, monotonic), monotonic, sameCondition),
    condition: next,
    before: present.value,
    warnings: pdbWarnings(report?.warnings ?? [], next),
    ours: next !== undefined && (state.rules === undefined || state.mode !== 'plain'),
    blocked: next?.status === 'False',
    unsure: next?.reason === 'Insufficient' && present.value !== undefined && !state.desired().known,
  };
}

export function groupBudgetOf(pdb: PodDisruptionBudget): PdbCondition {
  return pdb.status?.conditions?.find((one) => one.type === condition.groupBudget);
}
