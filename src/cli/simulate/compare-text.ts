import type { Paint } from '../output/paint.ts';
import { table } from '../table.ts';
import { atLimitIn, downIn, drainedIn, evictedIn, lengthOf, mostDownAtOnce } from './figures.ts';
import { isFinished, type SimulationResult } from './result.ts';
import { budgetName } from './timeline-text.ts';
import { spanText } from './times.ts';

export interface Comparison {
  readonly asItIs: SimulationResult;
  readonly changed: SimulationResult;
  /** What was changed, such as `PodDisruptionBudget shop/web`. */
  readonly changes: readonly string[];
}

/** Two simulations side by side. */
export function comparisonText({ asItIs, changed, changes }: Comparison, paint: Paint): string {
  const both = (of: (result: SimulationResult) => string) => [of(asItIs), of(changed)] as const;
  const rows = [
    ['everything went', ...both((result) => (isFinished(result) ? 'yes' : 'no'))],
    ['time', ...both(({ durationMs }) => spanText(durationMs))],
    ['nodes drained', ...both((result) => `${drainedIn(result)} of ${result.nodes.length}`)],
    ['pods evicted', ...both((result) => String(evictedIn(result)))],
    ['budgets at their limit, together', ...both((result) => spanText(atLimitIn(result)))],
    [
      'groups down at once, at the worst',
      ...both(({ groups, durationMs }) => `${mostDownAtOnce(groups, durationMs)} of ${groups.length}`),
    ],
    ['groups down, together', ...both((result) => spanText(downIn(result)))],
    ['pods that never went', ...both(({ unfinished }) => String(unfinished.length))],
    ['pods that found no place', ...both(({ pending }) => String(pending.length))],
  ];
  const head = paint('strong', `Compared, with ${changes.join(', ')}:`);
  return [head, '', table(['', 'AS IT IS', 'CHANGED'], rows), '', ...details(asItIs, changed)].join('\n');
}

/** Budgets and groups for which it made a difference. */
function details(asItIs: SimulationResult, changed: SimulationResult): readonly string[] {
  const budgets = pairs(asItIs, changed, ({ budgets, durationMs }) =>
    budgets.map((one) => [budgetName(one.budget), lengthOf(one.atLimit, durationMs)] as const),
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
