import type { OperatorCheck } from './health.ts';
import type { StatusReport } from './report.ts';
import { isBlockedBudget, isBlockedNode } from './summary.ts';

const checkRanks: Readonly<Record<OperatorCheck['state'], number>> = { failed: 0, warning: 1, unknown: 2, ok: 3 };

/** For people: what needs attention comes first, so that a long table and a short terminal do not hide it. */
export function blockedFirst(report: StatusReport): StatusReport {
  const nodeRank = ({ stuck, later }: StatusReport['nodes'][number]) => (stuck > 0 ? 0 : later > 0 ? 1 : 2);
  return {
    ...report,
    budgets: report.budgets.toSorted((a, b) => Number(isBlockedBudget(b)) - Number(isBlockedBudget(a))),
    nodes: report.nodes.toSorted((a, b) => nodeRank(a) - nodeRank(b)),
    operator: report.operator.toSorted((a, b) => checkRanks[a.state] - checkRanks[b.state]),
  };
}

/** `--blocked`: the summary still counts everything. */
export function onlyBlocked(report: StatusReport): StatusReport {
  return {
    ...report,
    filter: 'blocked',
    budgets: report.budgets.filter(isBlockedBudget),
    nodes: report.nodes.filter(isBlockedNode),
    operator: report.operator.filter(({ state }) => state !== 'ok'),
  };
}
