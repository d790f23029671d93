import type { StatusReport } from './report.ts';
import { budgetCells, nodeCells, statusNoteLines } from './status-text.ts';

/** What changed from one look to the next, a line for each thing: for a log instead of a screen. */
export function statusChanges(before: StatusReport, after: StatusReport): readonly string[] {
  const noted = new Set(statusNoteLines(before));
  const notes = statusNoteLines(after).filter((line) => !noted.has(line));
  return [...differences(factsOf(before), factsOf(after)), ...notes].map((line) => `${after.time} ${line}`);
}

/** Everything that is shown, by what it is about. */
function factsOf(report: StatusReport): ReadonlyMap<string, string> {
  const facts = new Map<string, string>();
  for (const view of report.budgets) {
    const [namespace = '', name = '', counts = '', available, needed, expected, allowed] = budgetCells(view);
    const blocked = view.blocked === undefined ? '' : `: ${view.blocked.message}`;
    const numbers = `${available} available, ${needed} needed, ${expected} expected, ${allowed} allowed`;
    facts.set(`budget ${namespace}/${name}`, `counts ${counts}, ${numbers}${blocked}`);
  }
  for (const view of report.nodes) {
    const [name = '', state, pods, now, later, stuck] = nodeCells(view);
    facts.set(`node ${name}`, `${state}, ${pods} pods: ${now} evictable, ${later} after recovery, ${stuck} blocked`);
  }
  // Ages change all the time, and mean nothing while the state is the same.
  for (const { check, state, detail } of report.operator) {
    facts.set(`operator ${check}`, state === 'ok' ? state : `${state}: ${detail.replace(/\d+s ago/, 'some time ago')}`);
  }
  return facts;
}

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  const lines: string[] = [];
  for (const [what, now] of after) {
    const then = before.get(what);
    if (then === now) continue;
    lines.push(then === undefined ? `${what} is new: ${now}` : `${what}: ${now} (before: ${then})`);
  }
  for (const what of before.keys()) if (!after.has(what)) lines.push(`${what} was removed`);
  return lines;
}
