import type { Paint } from '../../output/paint.ts';
import { table } from '../../table.ts';
import { atLimitIn, downIn, drainedIn, evictedIn, lengthOf, mostDownAtOnce } from '../records/figures.ts';
import { outageMs, outageText } from '../records/outages.ts';
import { isFinished, type SimulationResult } from '../simulation-result.ts';
import { budgetRefText } from './timeline-text.ts';
import { spanText } from './times.ts';

export interface RunComparison {
  readonly asItIs: SimulationResult;
  readonly changed: SimulationResult;
  /** What was changed, such as `PodDisruptionBudget shop/web`. */
  readonly changes: readonly string[];
}

export const comparisonHead = ['', 'AS IT IS', 'CHANGED'] as const;

/** Two simulations side by side. What matters most comes first: a faster drain is not better if nothing served meanwhile. */
export function comparisonRows({ asItIs, changed }: RunComparison): readonly (readonly [string, string, string])[] {
  const both = (of: (result: SimulationResult) => string) => [of(asItIs), of(changed)] as const;
  return [
    ['service down', ...both((result) => textOf(outageMs(result)))],
    ['finished', ...both((result) => (isFinished(result) ? 'yes' : 'no'))],
    ['time', ...both(({ durationMs }) => spanText(durationMs))],
    ['nodes drained', ...both((result) => `${drainedIn(result)} of ${result.nodes.length}`)],
    ['pods evicted', ...both((result) => String(evictedIn(result)))],
    ['budgets at their limit, in sum', ...both((result) => spanText(atLimitIn(result)))],
    [
      'most groups down at once',
      ...both(({ groups, durationMs }) => `${mostDownAtOnce(groups, durationMs)} of ${groups.length}`),
    ],
    ['groups down, in sum', ...both((result) => spanText(downIn(result)))],
    ['pods never evicted', ...both(({ unfinished }) => String(unfinished.length))],
    ['pods without a node', ...both(({ pending }) => String(pending.length))],
  ];
}

export function comparisonText(comparison: RunComparison, paint: Paint): string {
  const { asItIs, changed, changes } = comparison;
  const head = paint('strong', `Compared, with ${changes.join(', ')}:`);
  const outages = [...outageLines('as it is', asItIs), ...outageLines('changed', changed)].map((line) =>
    paint('bad', line),
  );
  const top = outages.length === 0 ? [] : [...outages, ''];
  return [head, '', ...top, table(comparisonHead, comparisonRows(comparison)), '', ...details(asItIs, changed)].join(
    '\n',
  );
}

function outageLines(title: string, { outages, durationMs }: SimulationResult): readonly string[] {
  return outages.map((one) => `Down (${title}): ${outageText(one, durationMs)}.`);
}

/** Budgets and groups for which it made a difference. */
function details(asItIs: SimulationResult, changed: SimulationResult): readonly string[] {
  const budgets = pairs(asItIs, changed, ({ budgets, durationMs }) =>
    budgets.map((one) => [budgetRefText(one.budget), lengthOf(one.atLimit, durationMs)] as const),
  );
  const groups = pairs(asItIs, changed, (result) =>
    result.groups.map((one) => [`${one.namespace}/${one.name}`, lengthOf(one.down, result.durationMs)] as const),
  );
  return [
    ...(budgets.length === 0 ? [] : [table(['BUDGET AT ITS LIMIT', 'AS IT IS', 'CHANGED'], budgets), '']),
    ...(groups.length === 0 ? [] : [table(['GROUP DOWN', 'AS IT IS', 'CHANGED'], groups), '']),
  ];
}

function pairs(
  asItIs: SimulationResult,
  changed: SimulationResult,
  of: (result: SimulationResult) => readonly (readonly [string, number])[],
): readonly (readonly string[])[] {
  const before = new Map(of(asItIs));
  const after = new Map(of(changed));
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => (before.get(name) ?? 0) > 0 || (after.get(name) ?? 0) > 0)
    .map((name) => [name, textOf(before.get(name)), textOf(after.get(name))]);
}

function textOf(ms: number | undefined): string {
  if (ms === undefined) return '-';
  return ms === 0 ? 'never' : spanText(ms);
}
