import type { SimulationResult, Span } from '../simulation-result.ts';
import { budgetRefText } from '../texts/timeline-text.ts';
import { momentText } from '../texts/times.ts';
import { escaped } from './escape.ts';

const width = 1_120;
const labelWidth = 220;
const row = { height: 18, bar: 12 } as const;
const charWidth = 6.8;
/** A picture with more lanes cannot be read. */
const maxLanes = 200;

interface Bar extends Span {
  readonly kind: 'drain' | 'stuck' | 'away' | 'down' | 'limit';
}

interface Tick {
  readonly kind: 'evicted' | 'refused';
  readonly at: number;
  readonly pod: string;
}

interface Lane {
  readonly name: string;
  readonly bars: readonly Bar[];
  readonly ticks: readonly Tick[];
}

interface Block {
  readonly title: string;
  readonly lanes: readonly Lane[];
}

/** Time from left to right; a lane for each node, group and budget to which something happened. */
export function chartOf(result: SimulationResult, until: number): string {
  const end = result.durationMs;
  const x = (at: number) => labelWidth + ((width - labelWidth - 16) * Math.min(at, until)) / until;
  const blocks = blocksOf(result).filter(({ lanes }) => lanes.length > 0);
  const shapes: string[] = [];
  let y = 28;
  for (const { title, lanes } of blocks) {
    shapes.push(text(0, y + 12, title, 'head'));
    y += row.height + 2;
    for (const lane of lanes.slice(0, maxLanes)) {
      shapes.push(...laneShapes(lane, y, x, end));
      y += row.height;
    }
    if (lanes.length > maxLanes) {
      shapes.push(text(0, y + 12, `and ${lanes.length - maxLanes} more`, 'dim'));
      y += row.height;
    }
    y += 10;
  }
  const grid = ticksFor(until).flatMap((at) => [
    `<line class="grid" x1="${x(at).toFixed(1)}" y1="20" x2="${x(at).toFixed(1)}" y2="${y}"/>`,
    text(x(at), 14, momentText(at), 'dim', 'middle'),
  ]);
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y + 24}" role="img" aria-label="nodes, groups and budgets over time">`;
  return ['<div class="chart">', head, hatch, ...grid, ...shapes, ...legend(y + 14), '</svg>', '</div>'].join('\n');
}

function blocksOf({ nodes, groups, budgets, timeline, durationMs }: SimulationResult): readonly Block[] {
  const nodeLanes = nodes.map(({ name, begun, drained, back }): Lane => {
    const draining: readonly Bar[] =
      begun === undefined
        ? []
        : [drained === undefined ? { kind: 'stuck', from: begun } : { kind: 'drain', from: begun, to: drained }];
    const away: readonly Bar[] = drained === undefined ? [] : [{ kind: 'away', from: drained, to: back ?? durationMs }];
    const ticks = timeline.flatMap((event): readonly Tick[] => {
      if ((event.kind !== 'evicted' && event.kind !== 'refused') || event.pod.node !== name) return [];
      return [{ kind: event.kind, at: event.at, pod: `${event.pod.namespace}/${event.pod.name}` }];
    });
    return { name, bars: [...draining, ...away], ticks };
  });
  const groupLanes = groups
    .filter(({ down }) => down.length > 0)
    .map(({ namespace, name, down }): Lane => ({ name: `${namespace}/${name}`, bars: as('down', down), ticks: [] }));
  const budgetLanes = budgets
    .filter(({ atLimit }) => atLimit.length > 0)
    .map(({ budget, atLimit }): Lane => ({ name: budgetRefText(budget), bars: as('limit', atLimit), ticks: [] }));
  return [
    { title: 'Nodes', lanes: nodeLanes },
    { title: 'Groups that went down', lanes: groupLanes },
    { title: 'Budgets at their limit', lanes: budgetLanes },
  ];
}

function as(kind: Bar['kind'], spans: readonly Span[]): readonly Bar[] {
  return spans.map((span) => ({ kind, ...span }));
}

function laneShapes({ name, bars, ticks }: Lane, y: number, x: (at: number) => number, end: number): readonly string[] {
  const top = y + (row.height - row.bar) / 2;
  const rect = (from: number, to: number, kind: string, title: string) => {
    const left = x(from);
    const wide = Math.max(1.5, x(to) - left);
    return `<rect class="${kind}" x="${left.toFixed(1)}" y="${top}" width="${wide.toFixed(1)}" height="${row.bar}" rx="2"><title>${escaped(title)}</title></rect>`;
  };
  return [
    text(0, y + 13, short(name), ''),
    rect(0, end, 'lane', name),
    ...bars.map(({ kind, from, to = end }) =>
      rect(from, to, kind, `${name}: ${words[kind]}, ${momentText(from)} to ${momentText(to)}`),
    ),
    ...ticks.map(({ kind, at, pod }) => tick(kind, x(at), top, `${pod} ${tickWords[kind]} at ${momentText(at)}`)),
  ];
}

/** An eviction is a line over the whole bar; a refusal is a dot above it, and so both are told apart without colours. */
function tick(kind: Tick['kind'], x: number, top: number, title: string): string {
  const words = `<title>${escaped(title)}</title>`;
  const at = x.toFixed(1);
  return kind === 'evicted'
    ? `<line class="tick" x1="${at}" y1="${top - 2}" x2="${at}" y2="${top + row.bar + 2}">${words}</line>`
    : `<circle class="refusal" cx="${at}" cy="${top - 1}" r="2.5">${words}</circle>`;
}

const tickWords: Readonly<Record<Tick['kind'], string>> = { evicted: 'evicted', refused: 'refused' };

/** For a node that never drained: stripes, since a bar in another colour alone is missed. */
const hatch =
  '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch-back" width="6" height="6"/><line class="hatch-line" x1="0" y1="0" x2="0" y2="6"/></pattern></defs>';

const words: Readonly<Record<Bar['kind'], string>> = {
  drain: 'being drained',
  stuck: 'never drained',
  away: 'drained, cordoned',
  down: 'group down',
  limit: 'budget at its limit',
};

function legend(y: number): readonly string[] {
  let left = 0;
  const bars = (Object.keys(words) as Bar['kind'][]).flatMap((kind) => {
    const shapes = [
      `<rect class="${kind}" x="${left}" y="${y - 10}" width="12" height="12" rx="2"/>`,
      text(left + 18, y, words[kind], 'dim'),
    ];
    left += 36 + words[kind].length * charWidth;
    return shapes;
  });
  const marks = (Object.keys(tickWords) as Tick['kind'][]).flatMap((kind) => {
    const shapes = [tick(kind, left + 6, y - 10, tickWords[kind]), text(left + 18, y, `pod ${tickWords[kind]}`, 'dim')];
    left += 64 + tickWords[kind].length * charWidth;
    return shapes;
  });
  return [...bars, ...marks];
}

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400];
const maxTicks = 10;

/** Round times, at most so many that they can be read. */
function ticksFor(until: number): readonly number[] {
  const step = (steps.find((seconds) => until / (seconds * 1_000) <= maxTicks) ?? 86_400) * 1_000;
  return Array.from({ length: Math.floor(until / step) + 1 }, (_, index) => index * step);
}

function short(name: string): string {
  const room = Math.floor((labelWidth - 12) / charWidth);
  return name.length > room ? `...${name.slice(name.length - room + 3)}` : name;
}

function text(x: number, y: number, content: string, kind: string, anchor?: string): string {
  const aligned = anchor === undefined ? '' : ` text-anchor="${anchor}"`;
  return `<text x="${x.toFixed(1)}" y="${y}"${kind === '' ? '' : ` class="${kind}"`}${aligned}>${escaped(content)}</text>`;
}
