import { lengthOf } from '../figures.ts';
import { outcomeText } from '../outcome-text.ts';
import { isFinished, type SimulationResult } from '../result.ts';
import { assumptionsText, scenarioText } from '../text.ts';
import { budgetName, timelineLines } from '../timeline-text.ts';
import { momentText, spanText } from '../times.ts';
import { chartOf } from './chart.ts';
import { escaped } from './escape.ts';
import { style } from './style.ts';

/** Longer lists no browser shows gladly. */
const maxRows = 5_000;

/** One or two simulations as one page without anything from elsewhere. Two of them have the same time scale. */
export function pageOf(results: readonly SimulationResult[]): string {
  const [first] = results;
  const title = first === undefined ? 'Simulation' : `Simulated: ${scenarioText(first.scenario)}`;
  const until = Math.max(1_000, ...results.map(({ durationMs }) => durationMs));
  const titles = results.length === 1 ? [undefined] : ['As it is', 'Changed'];
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)}</title><style>${style}</style></head><body>`,
    `<h1>${escaped(title)}</h1>`,
    ...results.map((result, index) => sectionOf(result, until, titles[index])),
    '</body></html>',
    '',
  ].join('\n');
}

function sectionOf(result: SimulationResult, until: number, title: string | undefined): string {
  return [
    '<section>',
    title === undefined ? '' : `<h2>${escaped(title)}</h2>`,
    `<p class="${isFinished(result) ? 'good' : 'bad'}">${escaped(verdictOf(result))}</p>`,
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

function verdictOf(result: SimulationResult): string {
  const { verdict, facts } = outcomeText(result);
  return `${verdict}: ${facts}.`;
}

function problems({ unfinished, pending, violations }: SimulationResult): string {
  const lines = [
    ...violations.map(
      ({ at, budget, pods }) => `${momentText(at)} ${budgetName(budget)} was broken by evicting ${pods.join(', ')}`,
    ),
    ...unfinished.map(({ pod, why }) => `${pod.namespace}/${pod.name} never went: ${why}`),
    ...pending.map(({ pod, why }) => `${pod.namespace}/${pod.name} found no place: ${why}`),
  ];
  return lines.length === 0 ? '' : `<h3>What never finished</h3><ul class="bad">${items(lines)}</ul>`;
}

function budgetTable({ budgets, durationMs }: SimulationResult): string {
  const rows = budgets.map(({ budget, unit, desired, available, lowest, atLimit, refusals }) =>
    row([
      budgetName(budget),
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
  return all.length === 0 ? '' : `<h3>What is not as in your cluster</h3><ul>${items(all)}</ul>`;
}

function details(title: string, head: readonly string[], rows: readonly string[]): string {
  const more = rows.length > maxRows ? `<p class="dim">and ${rows.length - maxRows} more</p>` : '';
  const heads = head.map((one) => `<th>${escaped(one)}</th>`).join('');
  return `<details open><summary>${title}</summary><table><thead><tr>${heads}</tr></thead><tbody>${rows.slice(0, maxRows).join('\n')}</tbody></table>${more}</details>`;
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
