import { formatFieldErrors } from '../../api/field-errors.ts';
import type { Condition } from '../../api/meta.ts';
import { condition } from '../../api/names.ts';
import type { WarningCode } from '../../api/reasons.ts';
import type { PdbState } from '../world/pdb-state.ts';
import type { World } from '../world/world.ts';
import { type Guard, keepTransition, statusTime } from './condition.ts';

export interface PdbReport {
  /** Absent when the budget is plain: Kubernetes' own business, about which there may still be something to say. */
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
  if (pdb.rules !== undefined && pdb.mode === 'plain') return warnings.length === 0 ? undefined : { warnings };
  const next = conditionOf(pdb, guard, warnings);
  return { condition: keepTransition(next, previous, statusTime(now)), warnings };
}

function conditionOf(pdb: PdbState, guard: Guard, warnings: PdbReport['warnings']): Condition {
  const type = condition.groupBudget;
  if (guard.kind === 'off') return { type, status: 'Unknown', reason: 'NotGuarded', message: guard.message };
  if (pdb.rules === undefined) {
    return { type, status: 'False', reason: 'BudgetInvalid', message: formatFieldErrors(pdb.errors) };
  }
  const lost = unresolved(pdb);
  if (pdb.mode === 'group' && pdb.units.size === 0 && lost.length > 0) {
    const message = `no group can be resolved: ${lost.length} pods selected, among them ${lost[0]}`;
    return { type, status: 'False', reason: 'GroupNotResolved', message };
  }
  const extra = warnings.map((one) => `; ${one.message}`).join('');
  const desired = pdb.desired();
  if (!desired.known) return { type, status: 'False', reason: 'Insufficient', message: `${desired.why}${extra}` };
  // A budget that desires nothing refuses nothing, also when there is nothing (N4).
  const sufficient = desired.count === 0 || pdb.available - 1 >= desired.count;
  return {
    type,
    status: sufficient ? 'True' : 'False',
    reason: sufficient ? 'Sufficient' : 'Insufficient',
    message: `${numbers(pdb, desired.count)}${extra}`,
  };
}

function numbers(pdb: PdbState, desired: number): string {
  const units = pdb.mode === 'group' ? 'groups' : 'pods';
  const expected = pdb.expected();
  const total = expected.known ? `, ${expected.count} expected (by ${expected.source})` : '';
  return `${pdb.available} ${units} available, ${desired} needed${total}`;
}

function unresolved(pdb: PdbState): readonly string[] {
  return [...pdb.pods]
    .filter((pod) => pdb.groupOf(pod) === undefined)
    .map((pod) => pod.name)
    .sort();
}

function warningsOf(pdb: PdbState): PdbReport['warnings'] {
  const warnings: { code: WarningCode; message: string }[] = [];
  const automatic = pdb.rules?.scope.kind === 'automatic';
  const lost = pdb.mode === 'group' ? unresolved(pdb) : [];
  if (automatic && lost.length > 0) {
    warnings.push({ code: 'MixedSelection', message: `${lost.length} selected pods have no group and are left out` });
  }
  if (automatic && pdb.mode !== 'group') {
    const claims = [...pdb.pods].filter((pod) =>
      pod.groups.some((group) => group.description.kind === 'missing'),
    ).length;
    if (claims > 0) {
      warnings.push({
        code: 'GroupFallback',
        message: `${claims} pods name a group that cannot be found: counted pod by pod`,
      });
    }
  }
  const expected = pdb.mode === 'group' ? pdb.expected() : undefined;
  if (expected?.known === true && expected.source === 'seen' && pdb.units.size > 0) {
    warnings.push({
      code: 'GroupsForgettable',
      message: 'nothing says how many groups there should be: one whose last pod goes is forgotten',
    });
  }
  return warnings;
}
