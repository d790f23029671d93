import { gapText } from '../../observe/once/gap.ts';
import type { Paint } from '../output/paint.ts';
import { table } from '../table.ts';
import { blockedFirst } from './blocked-first.ts';
import type { BudgetView } from './budget-view.ts';
import type { OperatorCheck } from './health.ts';
import type { NodeView } from './node-view.ts';
import type { StatusReport } from './report.ts';
import { isHealthy, summaryText } from './summary.ts';

export interface TextOptions {
  readonly wide: boolean;
  readonly paint: Paint;
}

/** For people: a summary, and three tables with what is blocked first. */
export function statusText(given: StatusReport, options: TextOptions): string {
  const report = blockedFirst(given);
  const { namespaces, budgets, nodes, operator } = report;
  const where = namespaces.length === 0 ? '' : ` in ${namespaces.join(', ')}`;
  const ofThese = namespaces.length === 0 ? '' : ` (pods of ${namespaces.join(', ')} only)`;
  const { paint } = options;
  const no = report.filter === undefined ? 'No' : 'No blocked';
  const sections = [
    paint(isHealthy(report.summary) ? 'good' : 'bad', summaryText(report.summary)),
    budgets.length === 0 ? `${no} budgets${where}.` : budgetTable(budgets, options),
    nodes.length === 0 ? `${no} nodes.` : `${paint('strong', `Nodes${ofThese}`)}\n${nodeTable(nodes, options)}`,
    ...(operator.length === 0 ? [] : [`${paint('strong', 'Operator')}\n${checkTable(operator, paint)}`]),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** What is missing in the tables, and what is different from what one might think. */
export function statusNoteLines({ gaps, remarks }: Pick<StatusReport, 'gaps' | 'remarks'>): readonly string[] {
  return [...gaps.map((gap) => `warning: ${gapText(gap)}`), ...remarks.map((remark) => `note: ${remark}`)];
}

const scopes = { group: 'PodGroup', pod: 'Pod', builtin: 'Pod (built-in)', invalid: 'invalid' } as const;

export function budgetKindText(kind: BudgetView['budget']['kind']): 'pdb' | 'pub' {
  return kind === 'PodDisruptionBudget' ? 'pdb' : 'pub';
}

export function budgetCells(view: BudgetView): readonly string[] {
  const { budget, scope, available, desired, expected, allowed, entangled } = view;
  const counts = entangled === undefined ? scopes[scope] : 'Pod (entangled)';
  const name = `${budgetKindText(budget.kind)}/${budget.name}`;
  return [budget.namespace, name, counts, String(available), number(desired), number(expected), number(allowed)];
}

function budgetTable(budgets: readonly BudgetView[], { wide, paint }: TextOptions): string {
  const head = ['NAMESPACE', 'BUDGET', 'COUNTS', 'AVAILABLE', 'NEEDED', 'EXPECTED', 'ALLOWED'];
  const more = wide ? ['BY', 'PODS', 'UNDER WAY'] : [];
  const rows = budgets.map((view) => [
    ...budgetCells(view).map((cell, column) => (column === 6 ? paint(allowedTone(view), cell) : cell)),
    ...(wide ? [view.source ?? '-', String(view.pods), String(view.reserved)] : []),
    view.blocked === undefined ? '-' : paint('warn', view.blocked.message),
  ]);
  return table([...head, ...more, 'BLOCKED BY'], rows);
}

function allowedTone({ allowed, blocked }: BudgetView): 'good' | 'warn' | 'bad' {
  if (blocked === undefined) return 'good';
  return allowed === undefined ? 'bad' : 'warn';
}

export function nodeCells(view: NodeView): readonly string[] {
  const { name, pods, now, later, stuck } = view;
  return [name, nodeState(view), String(pods), String(now), String(later), String(stuck)];
}

function nodeTable(nodes: readonly NodeView[], { paint }: TextOptions): string {
  const head = ['NODE', 'STATUS', 'PODS', 'EVICTABLE', 'AFTER RECOVERY', 'BLOCKED', 'WHY NOT NOW'];
  const rows = nodes.map((view) => [
    ...nodeCells(view).map((cell, column) => (column === 5 && view.stuck > 0 ? paint('bad', cell) : cell)),
    reasonsText(view.reasons),
  ]);
  return table(head, rows);
}

function nodeState({ ready, cordoned }: NodeView): string {
  if (ready === undefined) return 'unknown';
  return `${ready ? 'Ready' : 'NotReady'}${cordoned === true ? ',SchedulingDisabled' : ''}`;
}

function reasonsText(reasons: NodeView['reasons']): string {
  const parts = Object.entries(reasons).map(([code, count]) => `${code} (${count})`);
  return parts.length === 0 ? '-' : parts.join(', ');
}

const tones = { ok: 'good', warning: 'warn', failed: 'bad', unknown: 'dim' } as const;

function checkTable(checks: readonly OperatorCheck[], paint: Paint): string {
  const rows = checks.map(({ check, state, detail }) => [check, paint(tones[state], state), detail]);
  return table(['CHECK', 'STATE', 'DETAIL'], rows);
}

function number(value: number | undefined): string {
  return value === undefined ? '?' : String(value);
}
