import type { Remedy } from '../../api/refusals/refusal-outlook.ts';
import { changeToMake } from '../../api/refusals/refusal-texts.ts';
import { agree, counted, plural } from '../../api/wording.ts';
import type { ExpectedSource } from '../verdict.ts';
import { maxBudgetsPerPod } from '../world/crowding.ts';

/** What the conditions of both kinds of budget say in the same words. */

type UnitKind = 'pod' | 'group';

const sources: Readonly<Record<ExpectedSource, string>> = {
  budget: 'by protectTotalReplicas',
  workload: 'by the Workload',
  scale: 'by the scale of the workload',
  pods: 'by the labels of the pods',
  podGroups: 'by the PodGroups',
  highestIndex: 'by the highest group index',
  seen: 'by counting those that exist',
};

/** Where the expected number comes from: `2 expected (by the scale of the workload)`. */
export function expectedText(count: number, source: ExpectedSource): string {
  return `${count} expected (${sources[source]})`;
}

/** What it means for a budget that it covers pods which it cannot count (N7). */
export function uncountedText(pods: number): string {
  return `${pods} of its pods ${agree(pods, 'is', 'are')} under more than ${maxBudgetsPerPod} budgets and cannot be counted, so the budget refuses all of its pods; delete budgets that cover the same pods`;
}

/** Why a budget never allows that a unit breaks, and what to change (I15); undefined where it can. */
export function neverText(remedy: Remedy, desired: number, unitKind: UnitKind): string | undefined {
  if (remedy.kind !== 'change' || 'nothingExpected' in remedy) return undefined;
  const { most, stated } = remedy;
  const units = plural(most, unitKind);
  const exist = stated ? '' : ` that ${agree(most, 'exists', 'exist')}`;
  const all = most === 1 ? `the only ${units}${exist}` : `all ${most} ${units}${exist}`;
  const what = desired > most ? `${counted(desired, unitKind)} and can have at most ${most}` : `${all} to be available`;
  return `the budget requires ${what}, so it never allows a disruption that takes ${unitKind === 'pod' ? 'one' : 'a group'} down; ${changeToMake({ remedy, unitKind })}`;
}

/** How many units a budget would lose now, in words: what it allows, or what it waits for. */
export function nowText(available: number, desired: number, reserved: number): string {
  const spare = available - desired;
  if (desired === 0) return 'any number may be disrupted';
  if (spare > 0) return `${spare} may be disrupted now`;
  const underWay =
    reserved === 0
      ? ''
      : ` (${reserved} more ${agree(reserved, 'is', 'are')} reserved for ${agree(reserved, 'a disruption', 'disruptions')} under way)`;
  return `none may be disrupted until ${1 - spare} more ${agree(1 - spare, 'is', 'are')} available${underWay}`;
}
