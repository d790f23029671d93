import type { Plan, PlannedWave } from '../../core/plan/result.ts';
import { ageText } from '../output/age.ts';
import { boundText } from './text.ts';

const cell = { width: 96, height: 22, gap: 2 } as const;
const margin = 16;
const headHeight = 64;
const charWidth = 6.6;
/** More rows than anybody looks at make a picture that nothing shows any more. */
const maxRows = 500;
/** So many groups are told apart by their colour; the eye cannot do more. */
const colours = [
  '#3566a8',
  '#d9822b',
  '#2e8b57',
  '#a83a5b',
  '#7a5ab5',
  '#1f8fa3',
  '#8a6d1d',
  '#c14f9c',
  '#5c7f2a',
  '#6b6f76',
];
const plainColour = '#c9ced6';
const maxLegend = 20;

interface Row {
  readonly node: string;
  readonly wave: number;
  readonly groups: readonly string[];
  readonly text: string;
  readonly detail: string;
}

/** Nodes from top to bottom, waves from left to right; a node's cell has a stripe for each group that goes down with it. */
export function planSvg(plan: Plan): string {
  const rows = plan.waves.flatMap((wave, index) => rowsOf(wave, index));
  const shown = rows.slice(0, maxRows);
  const groups = [...new Set(shown.flatMap((row) => row.groups))].sort();
  const colourOf = new Map(groups.map((group, i) => [group, colours[i % colours.length] ?? plainColour]));
  const left = margin + Math.ceil(Math.max(4, ...shown.map(({ node }) => node.length)) * charWidth) + 12;
  const legend = legendOf(plan, groups, colourOf, rows.length - shown.length);
  const width = Math.max(left + plan.waves.length * cell.width + margin, 640);
  const below = headHeight + shown.length * cell.height + 24;
  const height = below + legend.length * 18 + margin;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="Helvetica, Arial, sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(margin, 24, title(plan), 'font-size="15" font-weight="bold"'),
    ...plan.waves.map((wave, i) => waveHead(wave, i, left)),
    ...shown.flatMap((row, i) => rowShapes(row, i, left, width, colourOf)),
    ...legend.map((line, i) => line(margin, below + i * 18)),
    '</svg>',
    '',
  ].join('\n');
}

function title(plan: Plan): string {
  const nodes = plan.waves.reduce((sum, wave) => sum + wave.nodes.length, 0);
  return `${nodes} nodes in ${plan.waves.length} waves (at least ${plan.lowerBound.waves})`;
}

function rowsOf(wave: PlannedWave, index: number): readonly Row[] {
  return wave.nodes.map(({ name, pods, rounds, surge, groups }) => ({
    node: name,
    wave: index,
    groups,
    text: `${pods} pod${pods === 1 ? '' : 's'}${surge ? ' +' : ''}`,
    detail: `${name}: wave ${index + 1}, ${pods} pods, ${rounds} rounds${surge ? ', replaced first' : ''}${groups.length > 0 ? `, down: ${groups.join(', ')}` : ''}`,
  }));
}

function waveHead({ nodes, seconds }: PlannedWave, index: number, left: number): string {
  const x = left + index * cell.width + cell.width / 2;
  const about = `${nodes.length} node${nodes.length === 1 ? '' : 's'}, ~${ageText(seconds * 1_000)}`;
  return [
    text(x, headHeight - 24, `wave ${index + 1}`, 'text-anchor="middle" font-weight="bold"'),
    text(x, headHeight - 9, about, 'text-anchor="middle" font-size="10" fill="#555c66"'),
  ].join('\n');
}

function rowShapes(row: Row, index: number, left: number, width: number, colourOf: ReadonlyMap<string, string>) {
  const y = headHeight + index * cell.height;
  const x = left + row.wave * cell.width + cell.gap;
  const inner = cell.width - 2 * cell.gap;
  const shade = index % 2 === 0 ? '#f5f6f8' : '#ffffff';
  const stripes =
    row.groups.length === 0 ? [plainColour] : row.groups.map((group) => colourOf.get(group) ?? plainColour);
  const part = inner / stripes.length;
  const middle = y + cell.height / 2 + 4;
  const ink = row.groups.length === 0 ? '#22262b' : '#ffffff';
  return [
    `<rect x="${margin}" y="${y}" width="${width - 2 * margin}" height="${cell.height}" fill="${shade}"/>`,
    text(left - 8, middle, row.node, 'text-anchor="end"'),
    `<g><title>${escaped(row.detail)}</title>`,
    ...stripes.map(
      (colour, i) =>
        `<rect x="${round(x + i * part)}" y="${y + cell.gap}" width="${round(part)}" height="${cell.height - 2 * cell.gap}" fill="${colour}"/>`,
    ),
    text(x + inner / 2, middle, row.text, `text-anchor="middle" fill="${ink}"`),
    '</g>',
  ];
}

type Line = (x: number, y: number) => string;

function legendOf(
  plan: Plan,
  groups: readonly string[],
  colourOf: ReadonlyMap<string, string>,
  hidden: number,
): readonly Line[] {
  const words =
    (line: string, more = ''): Line =>
    (x, y) =>
      text(x, y + 12, line, more);
  const swatch =
    (colour: string, line: string): Line =>
    (x, y) =>
      `<rect x="${x}" y="${y + 2}" width="12" height="12" fill="${colour}"/>\n${text(x + 18, y + 12, line)}`;
  const named = groups
    .slice(0, maxLegend)
    .map((group) => swatch(colourOf.get(group) ?? plainColour, `${group} is down`));
  const unnamed = groups.length - named.length;
  return [
    ...(hidden > 0 ? [words(`and ${hidden} more nodes`)] : []),
    swatch(plainColour, 'no group is down'),
    ...named,
    ...(unnamed > 0 ? [words(`and ${unnamed} more groups; colours repeat`)] : []),
    ...plan.never
      .slice(0, maxLegend)
      .map(({ node, why }) => words(`${node} cannot be drained: ${whyWords[why]}`, 'fill="#b3261e"')),
    ...(plan.never.length > maxLegend
      ? [words(`and ${plan.never.length - maxLegend} more nodes cannot be drained`, 'fill="#b3261e"')]
      : []),
    words(`At least ${plan.lowerBound.waves}: ${boundText(plan.lowerBound)}.`, 'fill="#555c66"'),
    words('Times are estimates. A plus sign: the replacement has to be there first.', 'fill="#555c66"'),
  ];
}

const whyWords = {
  refused: 'a pod of it can never go',
  noController: 'a pod of it has no controller',
  noRoom: 'there is no room elsewhere',
} as const;

function text(x: number, y: number, content: string, more = ''): string {
  return `<text x="${round(x)}" y="${round(y)}"${more === '' ? '' : ` ${more}`}>${escaped(content)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Names come from a cluster: they are text, whatever they contain. */
function escaped(content: string): string {
  return content.replace(/[&<>"]/g, (one) => entities[one] ?? one);
}
