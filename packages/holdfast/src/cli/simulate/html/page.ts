import { lengthOf } from '../records/figures.ts';
import { isFinished, type SimulationResult } from '../simulation-result.ts';
import { comparisonHead, comparisonRows, type RunComparison } from '../texts/compare-text.ts';
import { outcomeText } from '../texts/outcome-text.ts';
import { assumptionsText, scenarioText } from '../texts/simulate-text.ts';
import { budgetRefText, timelineLines } from '../texts/timeline-text.ts';
import { momentText, spanText } from '../texts/times.ts';
import { chartOf } from './chart.ts';
import { escaped } from './escape.ts';
import { style } from './style.ts';

/** Browsers become slow with longer tables. */
const maxRows = 5_000;

/** What makes a page a record: how it came about, when, and by which version. */
export interface PageRecord {
  readonly command: string;
  /** RFC 3339. */
  readonly date: string;
  readonly version: string;
}

/** One simulation, or two that are compared, as one page without anything from elsewhere. Two of them have the same time scale. */
export function pageOf(shown: SimulationResult | RunComparison, record: PageRecord): string {
  const compared = 'changes' in shown ? shown : undefined;
  const results = 'changes' in shown ? [shown.asItIs, shown.changed] : [shown];
  const [first] = results;
  const title = first === undefined ? 'Simulation' : `Simulated: ${scenarioText(first.scenario)}`;
  const until = Math.max(1_000, ...results.map(({ durationMs }) => durationMs));
  const titles = compared === undefined ? [undefined] : ['As it is', `Changed: ${compared.changes.join(', ')}`];
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)}</title><style>${style}</style></head><body>`,
    `<h1>${escaped(title)}</h1>`,
    ...(compared === undefined ? [] : [comparisonOf(compared)]),
    ...results.map((result, index) => sectionOf(result, until, titles[index])),
    recordOf(record),
    '</body></html>',
    '',
  ].join('\n');
}

/** Above everything else: what the reader decides by. */
function comparisonOf(comparison: RunComparison): string {
  const { asItIs, changed } = comparison;
  const alarms = [
    ...outcomeText(asItIs).alarms.map((line) => `As it is: ${line}`),
    ...outcomeText(changed).alarms.map((line) => `Changed: ${line}`),
  ];
  const head = comparisonHead.map((one) => `<th>${escaped(one.toLowerCase())}</th>`).join('');
  const rows = comparisonRows(comparison).map((cells, index) => {
    // The first row says for how long nothing served.
    const marked = (cell: string, column: number) => index === 0 && column > 0 && cell !== 'never';
    return `<tr>${cells.map((cell, column) => `<td${marked(cell, column) ? ' class="bad"' : ''}>${escaped(cell)}</td>`).join('')}</tr>`;
  });
  return `<section>${alarmsOf(alarms)}<div class="scroll"><table class="compare"><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div></section>`;
}

function alarmsOf(lines: readonly string[]): string {
  return lines.map((line) => `<p class="alarm">${escaped(line)}.</p>`).join('\n');
}

function recordOf({ command, date, version }: PageRecord): string {
  return `<p class="record dim">${escaped(`${command} · ${date} · holdfast ${version}`)}</p>`;
}

function sectionOf(result: SimulationResult, until: number, title: string | undefined): string {
  const { verdict, facts, alarms } = outcomeText(result);
  const tone = isFinished(result) && alarms.length === 0 ? 'good' : isFinished(result) ? 'dim' : 'bad';
  return [
    '<section>',
    title === undefined ? '' : `<h2>${escaped(title)}</h2>`,
    alarmsOf(alarms),
    `<p class="${tone}">${escaped(`${verdict}: ${facts}.`)}</p>`,
    `<p class="dim">${escaped(assumptionsText(result.assumptions))}</p>`,
    chartOf(result, until),
    problems(result),
    budgetTable(result),
    timelineTable(result),
    notes(result),
    '</section>',
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function problems({ unfinished, pending, violations }: SimulationResult): string {
  const lines = [
    ...violations.map(
      ({ at, budget, pods }) => `${momentText(at)} ${budgetRefText(budget)} was broken by evicting ${pods.join(', ')}`,
    ),
    ...unfinished.map(({ pod, why }) => `${pod.namespace}/${pod.name} was never evicted: ${why}`),
    ...pending.map(({ pod, why }) => `${pod.namespace}/${pod.name} has no node: ${why}`),
  ];
  return lines.length === 0 ? '' : `<h3>What never finished</h3><ul class="bad">${items(lines)}</ul>`;
}

function budgetTable({ budgets, durationMs }: SimulationResult): string {
  const rows = budgets.map(({ budget, unit, desired, available, lowest, atLimit, refusals }) =>
    row([
      budgetRefText(budget),
      `${unit}s`,
      desired === undefined ? 'unknown' : String(desired),
      String(available),
      String(lowest),
      atLimit.length === 0 ? 'never' : spanText(lengthOf(atLimit, durationMs)),
      String(refusals),
    ]),
  );
  const head = ['budget', 'counts', 'needed', 'available', 'lowest', 'at its limit', 'refusals'];
  return rows.length === 0 ? '' : details('Budgets', head, rows);
}

function timelineTable({ timeline }: SimulationResult): string {
  const rows = timelineLines(timeline).map(({ at, text }) => row([momentText(at), text]));
  return details('What happened', ['time', 'what'], rows);
}

function notes({ notes: all }: SimulationResult): string {
  return all.length === 0 ? '' : `<h3>What differs from your cluster</h3><ul>${items(all)}</ul>`;
}

function details(title: string, head: readonly string[], rows: readonly string[]): string {
  const more = rows.length > maxRows ? `<p class="dim">and ${rows.length - maxRows} more</p>` : '';
  const heads = head.map((one) => `<th>${escaped(one)}</th>`).join('');
  return `<details open><summary>${title}</summary><div class="scroll"><table><thead><tr>${heads}</tr></thead><tbody>${rows.slice(0, maxRows).join('\n')}</tbody></table></div>${more}</details>`;
}

function row(cells: readonly string[]): string {
  return `<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`;
}

function items(lines: readonly string[]): string {
  return lines
    .slice(0, maxRows)
    .map((line) => `<li>${escaped(line)}</li>`)
    .join('');
}
