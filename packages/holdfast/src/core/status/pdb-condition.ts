import { formatFieldErrors } from '@holdfast/base/field-errors';
import type { Condition } from '@holdfast/base/meta';
import { annotation, condition } from '../../api/names.ts';
import type { WarningCode } from '../../api/refusals/reasons.ts';
import { agree, counted } from '../../api/wording.ts';
import { remedyOf } from '../budget/remedy.ts';
import type { PdbState } from '../world/pdb-state.ts';
import type { World } from '../world/world.ts';
import { type Guard, keepTransition, statusTime } from './condition.ts';
import { expectedText, neverText, nowText, uncountedText } from './status-words.ts';

export interface PdbReport {
  /** Absent when the budget is plain, and was meant to be: it is Kubernetes' own business. */
  readonly condition?: Condition;
  /** Things that are not errors, and that the author of the budget should know. */
  readonly warnings: readonly { readonly code: WarningCode; readonly message: string }[];
}

/** Our condition on a PodDisruptionBudget (S2); undefined when there is nothing to say about it. */
export function pdbReport(
  world: World,
  namespace: string,
  name: string,
  guard: Guard,
  now: number,
  previous?: readonly Condition[],
): PdbReport | undefined {
  world.advance(now);
  const pdb = world.namespace(namespace)?.pdbs.get(name);
  if (pdb === undefined) return undefined;
  const warnings = warningsOf(pdb);
  if (pdb.rules !== undefined && pdb.mode === 'plain' && pdb.uncounted === 0 && warnings.length === 0) return undefined;
  const next = { ...conditionOf(pdb, guard, warnings), observedGeneration: pdb.generation };
  return { condition: keepTransition(next, previous, statusTime(now)), warnings };
}

function conditionOf(pdb: PdbState, guard: Guard, warnings: PdbReport['warnings']): Condition {
  if (guard.kind !== 'observed' || (pdb.rules !== undefined && pdb.mode === 'plain'))
    return judgedCondition(pdb, guard, warnings);
  // What it would say, without saying it: who waits for True or False must not take an observed budget for an enforced one.
  const { type, message } = judgedCondition(pdb, { kind: 'on' }, warnings);
  return {
    type,
    status: 'Unknown',
    reason: 'Observed',
    message: `observed, not enforced: ${guard.message}; now: ${message}`,
  };
}

function judgedCondition(pdb: PdbState, guard: Guard, warnings: PdbReport['warnings']): Condition {
  const type = condition.groupBudget;
  if (pdb.rules !== undefined && pdb.uncounted > 0 && guard.kind === 'on') {
    // The built-in check counts the other pods of a plain one.
    const status = pdb.mode === 'plain' ? 'Unknown' : 'False';
    return { type, status, reason: 'TooManyBudgets', message: uncountedText(pdb.uncounted) };
  }
  // The built-in check counts its pods: what it says now is in the numbers of the budget's own status.
  if (pdb.rules !== undefined && pdb.mode === 'plain') {
    const message = warnings.map((one) => one.message).join('; ');
    return { type, status: 'Unknown', reason: 'GroupFallback', message };
  }
  if (guard.kind === 'off') return { type, status: 'Unknown', reason: 'NotGuarded', message: guard.message };
  if (pdb.rules === undefined) {
    return { type, status: 'False', reason: 'BudgetInvalid', message: formatFieldErrors(pdb.errors) };
  }
  const extra = warnings.map((one) => `; ${one.message}`).join('');
  const lost = unresolved(pdb);
  if (pdb.mode === 'group' && pdb.units.size === 0 && lost.length > 0) {
    const message = `the budget counts groups, and no group is known for ${counted(lost.length, 'selected pod')} (${lost[0]}${lost.length > 1 ? ', ...' : ''}); waiting does not help: give the pods their group${extra}`;
    return { type, status: 'False', reason: 'GroupNotResolved', message };
  }
  const desired = pdb.desired();
  if (!desired.known) return { type, status: 'False', reason: 'Insufficient', message: `${desired.why}${extra}` };
  // A budget that needs nothing refuses nothing, even where there is nothing (N4).
  const sufficient = desired.count === 0 || pdb.available - 1 >= desired.count;
  const never = sufficient ? undefined : neverAllows(pdb, desired.count);
  const fallback = warnings.some((one) => one.code === 'GroupFallback');
  const reason = sufficient ? 'Sufficient' : never === undefined ? 'Insufficient' : 'NeverSufficient';
  return {
    type,
    status: sufficient ? 'True' : 'False',
    reason: fallback ? 'GroupFallback' : reason,
    message: `${numbers(pdb, desired.count)}; ${never ?? nowText(pdb.available, desired.count, pdb.reserved())}${extra}`,
  };
}

/** Of a budget without pods nothing is said: they may come. */
function neverAllows(pdb: PdbState, desired: number): string | undefined {
  if (pdb.pods.size === 0) return undefined;
  return neverText(remedyOf({ limit: pdb.rules?.limit ?? {}, desired }, pdb.supply()), desired, unitOf(pdb));
}

function unitOf(pdb: PdbState): 'pod' | 'group' {
  return pdb.mode === 'group' ? 'group' : 'pod';
}

function numbers(pdb: PdbState, desired: number): string {
  const expected = pdb.expected();
  const total = expected.known ? `, ${expectedText(expected.count, expected.source)}` : '';
  return `${counted(pdb.available, unitOf(pdb))} available, ${desired} needed${total}`;
}

function unresolved(pdb: PdbState): readonly string[] {
  return [...pdb.pods]
    .filter((pod) => pdb.groupOf(pod) === undefined)
    .map((pod) => pod.name)
    .sort();
}

type Warning = PdbReport['warnings'][number];

function warningsOf(pdb: PdbState): PdbReport['warnings'] {
  const found = [leftOut(pdb), notDivided(pdb), notFound(pdb), forgettable(pdb), unreachable(pdb)];
  return found.filter((one) => one !== undefined);
}

function leftOut(pdb: PdbState): Warning | undefined {
  if (pdb.rules?.scope.kind !== 'automatic' || pdb.mode !== 'group') return undefined;
  const lost = unresolved(pdb).length - pdb.undivided;
  if (lost === 0) return undefined;
  const message = `${counted(lost, 'selected pod')} ${agree(lost, 'has no group and is', 'have no group and are')} not counted among the groups`;
  return { code: 'MixedSelection', message };
}

function notDivided(pdb: PdbState): Warning | undefined {
  if (pdb.mode !== 'group' || pdb.undivided === 0) return undefined;
  const [pod] = [...pdb.pods].filter((one) => one.undivided && pdb.groupOf(one) === undefined);
  const group = pod?.groups.find((one) => one.description.kind === 'undivided');
  if (group === undefined || !('what' in group.description)) return undefined;
  const refused = agree(pdb.undivided, 'a group, so it is refused', 'groups, so they are refused');
  const message = `${counted(pdb.undivided, 'pod')} cannot be put into ${refused}: ${group.description.what}`;
  return { code: 'GroupUndivided', message };
}

function notFound(pdb: PdbState): Warning | undefined {
  if (pdb.rules?.scope.kind !== 'automatic' || pdb.mode === 'group') return undefined;
  const count = [...pdb.pods].filter((pod) => pod.groups.some((group) => group.description.kind === 'missing')).length;
  if (count === 0) return undefined;
  const message = `${counted(count, 'pod')} ${agree(count, 'names', 'name')} a group that does not exist, so the budget counts pods, not groups`;
  return { code: 'GroupFallback', message };
}

function forgettable(pdb: PdbState): Warning | undefined {
  const expected = pdb.mode === 'group' && pdb.units.size > 0 ? pdb.expected() : undefined;
  if (expected?.known !== true || expected.source !== 'seen') return undefined;
  const message = 'nothing states how many groups there should be: a group is forgotten when its last pod is deleted';
  return { code: 'GroupsForgettable', message };
}

/** Where nothing states the size of a group, only its owner can show that it is whole (G5). */
function unreachable(pdb: PdbState): Warning | undefined {
  const minimum = pdb.mode === 'group' ? pdb.groupMinimum?.count : undefined;
  const groups = [...pdb.units.keys()];
  const largest = Math.max(0, ...groups.map((group) => group.sizes.max ?? group.live));
  if (minimum === undefined || groups.length === 0 || largest >= minimum) return undefined;
  const what = groups.length === 1 ? 'its only group has' : `the largest of ${groups.length} groups has`;
  const effect = groups.some((group) => pdb.boundsOf(group).enough > Math.max(1, group.sizes.max ?? group.live))
    ? 'nothing shows that these are all of its pods, so pods that serve are refused until the number is lowered'
    : 'it counts as the full size of a group';
  const message = `${annotation.groupMinAvailable} is ${minimum}, and ${what} ${counted(largest, 'pod')}; ${effect}`;
  return { code: 'UnreachableGroupMinimum', message };
}
