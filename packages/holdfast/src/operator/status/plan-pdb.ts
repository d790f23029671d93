import type { Condition } from '@holdfast/base/meta';
import { condition } from '../../api/names.ts';
import type { PodDisruptionBudget } from '../../api/pdb.ts';
import type { Guard } from '../../core/status/condition.ts';
import { pdbReport } from '../../core/status/pdb-condition.ts';
import { keepsBuiltinNumber, projectedDisruptions, shownProjection } from '../../core/status/projection.ts';
import type { World } from '../../core/world/world.ts';
import { boundedCondition, sameCondition } from './condition-text.ts';
import { pdbWarnings, type StatusWarning } from './status-warnings.ts';
import { presentOf, recentOf, stepTo, type WriteStep, type Written } from './written.ts';

/** What a PodDisruptionBudget shows of ours. */
export interface PdbShown {
  /** Undefined: the budget is plain, as it was meant to be. */
  readonly condition: Condition | undefined;
  /** The number that other tools decide by (S3). Undefined: it is Kubernetes' own. */
  readonly allowed: number | undefined;
  /** The status has that number. */
  readonly held: boolean;
}

/**
 * How often the same number is written again when the status has another. Once or twice it takes: a policy that was just installed is not
 * in effect yet. Where nothing holds the number (no policy, no webhook), the disruption controller writes its own after each write of ours,
 * and the two would write in turns for good.
 */
const maxCorrections = 3;

export interface PdbLook {
  readonly world: World;
  readonly shown: PodDisruptionBudget;
  readonly written: Written<PdbShown> | undefined;
  readonly guard: Guard;
  /** Whether this installation shows units in `disruptionsAllowed`. */
  readonly projects: boolean;
  /** How often the number that was written last has been written again. */
  readonly corrections: number;
  readonly now: number;
  readonly monotonic: number;
}

export interface PdbPlan {
  readonly step: WriteStep<PdbShown>;
  readonly next: PdbShown;
  /** The number is written again because the status has another. */
  readonly corrects: boolean;
  /** What the object showed before. */
  readonly before: Condition | undefined;
  /** Everything there is to warn of now, told already or not. */
  readonly warnings: readonly StatusWarning[];
  /** It is judged by us, and its numbers are ours to show. */
  readonly ours: boolean;
  /** A disruption that breaks a unit would be refused. */
  readonly blocked: boolean;
  /** It needs every unit that it can have (I15). */
  readonly never: boolean;
  /** It is not known how many units there should be, and it was judged before. */
  readonly unsure: boolean;
}

/** What to do about our condition on a PodDisruptionBudget (S2). Undefined: the world does not know it. */
export function planPdb(look: PdbLook): PdbPlan | undefined {
  const { world, shown, written, guard, now, monotonic } = look;
  const { metadata } = shown;
  const namespace = metadata.namespace ?? '';
  const state = world.namespace(namespace)?.pdbs.get(metadata.name);
  if (state === undefined) return undefined;
  const present = presentOf(metadata, shownBy(shown), written, monotonic);
  const before = present.value.condition;
  const report = pdbReport(world, namespace, metadata.name, guard, now, before === undefined ? [] : [before]);
  const condition = report?.condition === undefined ? undefined : boundedCondition(report.condition);
  const allowed = look.projects && !keepsBuiltinNumber(shown) ? projectedDisruptions(state, guard) : undefined;
  const next = { condition, allowed, held: true };
  const same = (one: PdbShown, other: PdbShown) => isSame(one, other, look.corrections);
  return {
    step: stepTo(next, present, recentOf(metadata, written, monotonic), monotonic, same),
    next,
    corrects: allowed !== undefined && present.value.allowed === allowed && !present.value.held,
    before,
    warnings: pdbWarnings(report?.warnings ?? [], condition),
    ours: condition !== undefined && (state.rules === undefined || state.mode !== 'plain'),
    blocked: condition?.status === 'False',
    never: condition?.reason === 'NeverSufficient',
    unsure: condition?.reason === 'Insufficient' && before !== undefined && !state.desired().known,
  };
}

function shownBy(pdb: PodDisruptionBudget): PdbShown {
  const allowed = shownProjection(pdb);
  return { condition: groupBudgetOf(pdb), allowed, held: allowed === pdb.status?.disruptionsAllowed };
}

function isSame(one: PdbShown, other: PdbShown, corrections: number): boolean {
  if (one.allowed !== other.allowed || !sameCondition(one.condition, other.condition)) return false;
  return one.allowed === undefined || one.held === other.held || corrections >= maxCorrections;
}

export function groupBudgetOf(pdb: PodDisruptionBudget): Condition | undefined {
  return pdb.status?.conditions?.find((one) => one.type === condition.groupBudget);
}
