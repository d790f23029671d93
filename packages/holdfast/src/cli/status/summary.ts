import { counted } from '../../api/wording.ts';
import type { BudgetView } from './budget-view.ts';
import type { OperatorCheck } from './health.ts';
import type { NodeView } from './node-view.ts';

/** `absent`: no operator is registered. `unknown`: the user may not see it. */
export type OperatorState = 'ok' | 'warning' | 'failed' | 'absent' | 'unknown';

/** A status in numbers: what a person wants to know first, and what a monitor alerts on. */
export interface Summary {
  readonly budgets: { readonly total: number; readonly blocked: number };
  readonly nodes: {
    readonly total: number;
    /** All their pods can be evicted now. */
    readonly now: number;
    /** All their pods can be evicted, some of them when pods evicted before them have recovered. */
    readonly afterRecovery: number;
    /** At least one pod is blocked. */
    readonly blocked: number;
  };
  readonly operator: OperatorState;
}

export interface Summarised {
  readonly budgets: readonly BudgetView[];
  readonly nodes: readonly NodeView[];
  readonly operator: readonly OperatorCheck[];
}

export function summaryOf({ budgets, nodes, operator }: Summarised): Summary {
  const blocked = nodes.filter(isBlockedNode).length;
  const now = nodes.filter(({ later, stuck }) => later + stuck === 0).length;
  return {
    budgets: { total: budgets.length, blocked: budgets.filter(isBlockedBudget).length },
    nodes: { total: nodes.length, now, afterRecovery: nodes.length - now - blocked, blocked },
    operator: operatorState(operator),
  };
}

export function isBlockedBudget({ blocked }: BudgetView): boolean {
  return blocked !== undefined;
}

export function isBlockedNode({ stuck }: NodeView): boolean {
  return stuck > 0;
}

function operatorState(checks: readonly OperatorCheck[]): OperatorState {
  if (checks.some(({ absent }) => absent === true)) return 'absent';
  for (const state of ['failed', 'warning', 'unknown'] as const) {
    if (checks.some((one) => one.state === state)) return state;
  }
  return 'ok';
}

/** What `--check` makes of it. What the user may not see does not fail: it is not known to be wrong. */
export function isHealthy({ budgets, nodes, operator }: Summary): boolean {
  return budgets.blocked === 0 && nodes.blocked === 0 && operator !== 'failed' && operator !== 'absent';
}

/** `12 budgets, 1 blocks | 60 nodes: 59 can be drained now, 1 blocked | operator ok`. */
export function summaryText({ budgets, nodes, operator }: Summary): string {
  return [budgetsText(budgets), nodesText(nodes), operatorTexts[operator]].join(' | ');
}

function budgetsText({ total, blocked }: Summary['budgets']): string {
  if (total === 0) return 'no budgets';
  return `${counted(total, 'budget')}, ${blocked === 0 ? 'none blocks' : `${blocked} ${blocked === 1 ? 'blocks' : 'block'}`}`;
}

function nodesText({ total, now, afterRecovery, blocked }: Summary['nodes']): string {
  if (total === 0) return 'no nodes';
  const parts = [
    `${now} can be drained now`,
    ...(afterRecovery === 0 ? [] : [`${afterRecovery} after recovery`]),
    ...(blocked === 0 ? [] : [`${blocked} blocked`]),
  ];
  return `${counted(total, 'node')}: ${parts.join(', ')}`;
}

const operatorTexts: Readonly<Record<OperatorState, string>> = {
  ok: 'operator ok',
  warning: 'operator ok, with warnings',
  failed: 'operator failed',
  absent: 'no operator',
  unknown: 'operator unknown',
};
