import type { Paint } from '../../output/paint.ts';
import { table } from '../../table.ts';
import { lengthOf } from '../records/figures.ts';
import type { Assumptions, BudgetResult, Scenario, SimulationResult, Span, Unfinished } from '../simulation-result.ts';
import { isFinished } from '../simulation-result.ts';
import { outcomeText } from './outcome-text.ts';
import { budgetRefText, timelineRows } from './timeline-text.ts';
import { momentText, spanText } from './times.ts';

/** Of a long list people read the beginning; -o json and --html have all of it. */
const maxLines = 200;
const maxNotes = 20;

/** A simulation, for people. */
export function resultText(result: SimulationResult, paint: Paint): string {
  const { durationMs: end } = result;
  const sections = [
    headline(result, paint),
    cut(['NODE', 'ZONE', 'BEGUN', 'DRAINED', 'BACK', 'EVICTED'], result.nodes.map(nodeRow)),
    cut(['TIME', 'WHAT HAPPENED'], timelineRows(result.timeline)),
  ];
  const budgets = result.budgets.filter(isInteresting);
  if (budgets.length > 0) {
    const head = ['BUDGET', 'COUNTS', 'NEEDED', 'AVAILABLE', 'LOWEST', 'AT LIMIT', 'REFUSALS'];
    sections.push(
      cut(
        head,
        budgets.map((budget) => budgetRow(budget, end)),
      ),
    );
  }
  const groups = result.groups.filter(({ down }) => down.length > 0);
  if (groups.length > 0) {
    const cells = groups.map(({ namespace, name, down }) => [
      `${namespace}/${name}`,
      spanText(lengthOf(down, end)),
      whenText(down),
    ]);
    sections.push(cut(['GROUP', 'DOWN FOR', 'WHEN'], cells));
  }
  sections.push(...endings(result, paint));
  if (result.notes.length > 0) {
    const more = result.notes.length - maxNotes;
    const lines = result.notes.slice(0, maxNotes).map((note) => `  ${note}`);
    if (more > 0) lines.push(`  and ${more} more (-o json has all)`);
    sections.push(['What differs from your cluster:', ...lines].join('\n'));
  }
  return `${sections.join('\n\n')}\n`;
}

function headline(result: SimulationResult, paint: Paint): string {
  const { verdict, facts, alarms } = outcomeText(result);
  const tone = isFinished(result) && alarms.length === 0 ? 'good' : 'bad';
  return [
    paint('strong', `Simulated: ${scenarioText(result.scenario)}`),
    assumptionsText(result.assumptions),
    '',
    ...alarms.map((line) => paint('bad', `${line}.`)),
    `${paint(tone, verdict)}: ${facts}.`,
  ].join('\n');
}

export function scenarioText(scenario: Scenario): string {
  const nodes = scenario.nodes.length > 5 ? `${scenario.nodes.length} nodes` : scenario.nodes.join(', ');
  switch (scenario.kind) {
    case 'drain':
      return `draining ${nodes}`;
    case 'zone':
      return `draining zone ${scenario.zone} (${nodes})`;
    case 'plan':
      return `draining ${nodes} by a plan of ${scenario.waves.length} ${scenario.waves.length === 1 ? 'wave' : 'waves'}, each wave back ${spanText(scenario.nodeMs)} after it is drained`;
    case 'upgrade':
      return `upgrading ${nodes}, ${scenario.maxUnavailable} at once, each back ${spanText(scenario.nodeMs)} after it is drained`;
  }
}

export function assumptionsText({ seed, podStartMs, podStartSource, owners, podStopMs }: Assumptions): string {
  const sources = {
    option: 'by --pod-start',
    snapshot: `the median of the snapshot${owners > 1 ? `, with one for each of ${owners} owners` : ''}`,
    default: 'the default: the snapshot does not say',
  };
  return `Pods start in ${spanText(podStartMs)} (${sources[podStartSource]}) and stop in ${spanText(podStopMs)}; seed ${seed}.`;
}

function nodeRow({
  name,
  zone = '-',
  begun,
  drained,
  back,
  evicted,
}: SimulationResult['nodes'][number]): readonly string[] {
  const when = (at: number | undefined, never: string) => (at === undefined ? never : momentText(at));
  return [name, zone, when(begun, 'never'), when(drained, 'never'), when(back, '-'), String(evicted)];
}

/** A budget that nothing happened to is left out. */
function isInteresting({ atLimit, refusals, lowest, available }: BudgetResult): boolean {
  return atLimit.length > 0 || refusals > 0 || lowest < available;
}

function budgetRow(result: BudgetResult, end: number): readonly string[] {
  const { budget, unit, desired, available, lowest, atLimit, refusals } = result;
  const share = end === 0 ? 0 : Math.round((100 * lengthOf(atLimit, end)) / end);
  const limit = atLimit.length === 0 ? 'never' : `${spanText(lengthOf(atLimit, end))} (${share}%)`;
  const needed = desired === undefined ? 'unknown' : String(desired);
  return [budgetRefText(budget), `${unit}s`, needed, String(available), String(lowest), limit, String(refusals)];
}

const maxSpans = 3;

function whenText(spans: readonly Span[]): string {
  const shown = spans
    .slice(0, maxSpans)
    .map(({ from, to }) => `${momentText(from)} to ${to === undefined ? 'the end' : momentText(to)}`);
  const more = spans.length > maxSpans ? [`and ${spans.length - maxSpans} more`] : [];
  return [...shown, ...more].join(', ');
}

function endings({ unfinished, pending, violations }: SimulationResult, paint: Paint): readonly string[] {
  const sections: string[] = [];
  if (unfinished.length > 0) sections.push(listed(paint('bad', 'Never evicted:'), unfinished));
  if (pending.length > 0) sections.push(listed(paint('bad', 'Without a node:'), pending));
  if (violations.length > 0) {
    const lines = violations.map(
      ({ at, budget, available, desired, pods }) =>
        `  ${momentText(at)} ${budgetRefText(budget)}: ${available} available, ${desired} needed, after evicting ${pods.join(', ')}`,
    );
    sections.push(
      [
        paint(
          'bad',
          'BUDGETS WERE BROKEN by evictions that were allowed. This is a bug in Holdfast; please report it:',
        ),
        ...lines,
      ].join('\n'),
    );
  }
  return sections;
}

function listed(title: string, pods: readonly Unfinished[]): string {
  const lines = pods.map(
    ({ pod, why }) => `  ${pod.namespace}/${pod.name}${pod.node === undefined ? '' : ` on ${pod.node}`}: ${why}`,
  );
  return [
    title,
    ...lines.slice(0, maxLines),
    ...(lines.length > maxLines ? [`  and ${lines.length - maxLines} more`] : []),
  ].join('\n');
}

function cut(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const shown = table(head, rows.slice(0, maxLines));
  return rows.length > maxLines ? `${shown}\n... ${rows.length - maxLines} more (-o json has all)` : shown;
}
