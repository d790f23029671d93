import type { BudgetUse, DrainPlan, PlannedNode, PlannedWave, StuckNode } from '../../core/plan/plan-result.ts';
import { ageText } from '../output/age.ts';
import { boundText } from './plan-text.ts';
import { svgStyle } from './svg-palette.ts';

const width = 880;
const margin = 16;
const cell = { width: 164, height: 36, gap: 8 } as const;
const perRow = Math.floor((width - 2 * margin + cell.gap) / (cell.width + cell.gap));
const bar = { height: 22, gap: 4 } as const;
/** Of a sans-serif font at 12 px; a little too wide, so that nothing is cut off that would fit. */
const charWidth = 6.6;
/** A picture with more nodes cannot be read. */
const maxNodes = 500;
const maxStuck = 20;
const maxBudgets = 6;

/** A picture that grows downwards: what is drawn, and how much height it takes. */
interface Block {
  readonly height: number;
  readonly draw: (y: number) => readonly string[];
}

/** From top to bottom: what cannot be drained, then a strip for each wave with its nodes and the budgets that are at their limit. */
export function planSvg(plan: DrainPlan): string {
  const blocks = [titleBlock(plan), ...stuckBlocks(plan.never), ...waveBlocks(plan.waves), legendBlock()];
  const shapes: string[] = [];
  let y = margin;
  for (const { height, draw } of blocks) {
    shapes.push(...draw(y));
    y += height;
  }
  const height = y + margin;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(titleOf(plan))}" font-family="Helvetica, Arial, sans-serif" font-size="12">`,
    svgStyle(),
    '<defs><pattern id="stripes" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="limit" width="8" height="8"/><rect class="limitStripe" width="4" height="8"/></pattern></defs>',
    `<rect class="page" width="${width}" height="${height}"/>`,
    ...shapes,
    '</svg>',
    '',
  ].join('\n');
}

function titleOf({ waves, never }: DrainPlan): string {
  const nodes = waves.reduce((sum, wave) => sum + wave.nodes.length, 0);
  const left = never.length === 0 ? '' : `; ${counted(never.length, 'node')} cannot be drained`;
  return `${counted(nodes, 'node')} in ${counted(waves.length, 'wave')}${left}`;
}

function titleBlock(plan: DrainPlan): Block {
  const { lowerBound, seconds } = plan;
  const bound = `About ${ageText(seconds * 1_000)}. At least ${counted(lowerBound.waves, 'wave')}: ${boundText(lowerBound)}.`;
  const lines = wrapped(bound, width - 2 * margin);
  return {
    height: 34 + lines.length * 16 + 12,
    draw: (y) => [
      text(margin, y + 18, titleOf(plan), 'ink', 'font-size="18" font-weight="bold"'),
      ...lines.map((line, i) => text(margin, y + 40 + i * 16, line, 'dim')),
    ],
  };
}

const whyWords = {
  refused: 'a pod cannot be evicted',
  noController: 'a pod has no controller',
  noRoom: 'no other node has room for its pods',
} as const;

function stuckBlocks(never: readonly StuckNode[]): readonly Block[] {
  const lines = never
    .slice(0, maxStuck)
    .map((one) => `${one.node} cannot be drained: ${whyWords[one.why]}${whichPod(one)}`);
  if (never.length > maxStuck) lines.push(`and ${never.length - maxStuck} more nodes cannot be drained`);
  const blocks = lines.map((line) => barBlock(line, 'stuck', 'onStuck'));
  return blocks.length === 0 ? [] : [...blocks, space(12)];
}

function whichPod(stuck: StuckNode): string {
  if (stuck.why === 'noRoom') return ` (${stuck.pod.namespace}/${stuck.pod.name})`;
  const [first] = stuck.pods;
  if (first === undefined) return '';
  const { namespace, name } = 'pod' in first ? first.pod : first;
  return ` (${namespace}/${name})`;
}

function waveBlocks(waves: readonly PlannedWave[]): readonly Block[] {
  let room = maxNodes;
  const total = waves.reduce((sum, { nodes }) => sum + nodes.length, 0);
  const blocks = waves.flatMap((wave, index) => {
    const nodes = wave.nodes.slice(0, room);
    room -= nodes.length;
    return nodes.length === 0 ? [] : waveBlock(wave, nodes, index);
  });
  return total > maxNodes ? [...blocks, line(`and ${total - maxNodes} more nodes`, 'dim')] : blocks;
}

function waveBlock(wave: PlannedWave, nodes: readonly PlannedNode[], index: number): readonly Block[] {
  const pods = wave.rounds.reduce((sum, round) => sum + round.length, 0);
  const facts = `${counted(wave.nodes.length, 'node')}, ${counted(pods, 'pod')}, ${counted(wave.rounds.length, 'round')}, about ${ageText(wave.seconds * 1_000)}`;
  const head: Block = {
    height: 24,
    draw: (y) => [
      text(margin, y + 16, `Wave ${index + 1}`, 'ink', 'font-size="14" font-weight="bold"'),
      text(margin + 72, y + 16, facts, 'dim'),
    ],
  };
  const atLimit = wave.budgets.filter((one) => one.atLimit);
  const bars = atLimit.slice(0, maxBudgets).map((one) => barBlock(limitText(one), 'url(#stripes)', 'onLimit'));
  const hidden = atLimit.length - bars.length;
  const more = hidden > 0 ? [line(`and ${counted(hidden, 'more budget')} at the limit`, 'dim')] : [];
  return [head, cellsBlock(nodes, index), ...bars, ...more, space(14)];
}

function limitText({ budget, unitKind, available, desired }: BudgetUse): string {
  const kind = budget.kind === 'PodDisruptionBudget' ? 'pdb' : 'pub';
  return `${kind} ${budget.namespace}/${budget.name} at its limit: ${counted(available, unitKind)} left, ${desired} needed`;
}

function cellsBlock(nodes: readonly PlannedNode[], wave: number): Block {
  const rows = Math.ceil(nodes.length / perRow);
  return {
    height: rows * (cell.height + cell.gap),
    draw: (y) =>
      nodes.flatMap((node, i) => {
        const x = margin + (i % perRow) * (cell.width + cell.gap);
        return cellShapes(node, wave, x, y + Math.floor(i / perRow) * (cell.height + cell.gap));
      }),
  };
}

function cellShapes(
  { name, pods, rounds, surge, groups }: PlannedNode,
  wave: number,
  x: number,
  y: number,
): readonly string[] {
  const [back, ink] = groups.length === 0 ? ['calm', 'onCalm'] : ['down', 'onDown'];
  const down = groups.length === 0 ? '' : `, ${groups.length === 1 ? 'group' : `${groups.length} groups`} down`;
  const replaced = surge ? ', replaced first' : '';
  const title = `${name}: wave ${wave + 1}, ${counted(pods, 'pod')}, ${counted(rounds, 'round')}${replaced}${groups.length > 0 ? `, down: ${groups.join(', ')}` : ''}`;
  const shown = surge ? `${counted(pods, 'pod')}${replaced}` : `${counted(pods, 'pod')}${down}`;
  return [
    `<g><title>${escaped(title)}</title>`,
    `<rect class="${back}" x="${x}" y="${y}" width="${cell.width}" height="${cell.height}" rx="4"/>`,
    text(x + 8, y + 15, short(name, cell.width - 16), ink, 'font-weight="bold"'),
    text(x + 8, y + 29, short(shown, cell.width - 16), ink),
    '</g>',
  ];
}

function legendBlock(): Block {
  const entries = [
    ['calm', 'node: no group goes down'],
    ['down', 'node: a group goes down while it is drained'],
    ['url(#stripes)', 'budget at its limit'],
    ['stuck', 'cannot be drained'],
  ] as const;
  return {
    height: 44,
    draw: (y) => {
      let x = margin;
      const swatches = entries.flatMap(([fill, words]) => {
        const shapes = [filled(fill, x, y + 2, 12, 12), text(x + 18, y + 12, words, 'dim')];
        x += 34 + words.length * charWidth;
        return shapes;
      });
      const note =
        'Times are estimates, without the maintenance itself. Each wave starts when all pods of the wave before are healthy again.';
      return [...swatches, text(margin, y + 34, note, 'dim')];
    },
  };
}

function barBlock(words: string, fill: string, ink: string): Block {
  return {
    height: bar.height + bar.gap,
    draw: (y) => [
      filled(fill, margin, y, width - 2 * margin, bar.height),
      text(margin + 8, y + 15, short(words, width - 2 * margin - 16), ink, 'font-weight="bold"'),
    ],
  };
}

function line(words: string, ink: string): Block {
  return { height: 18, draw: (y) => [text(margin, y + 12, words, ink)] };
}

function space(height: number): Block {
  return { height, draw: () => [] };
}

function filled(fill: string, x: number, y: number, wide: number, high: number): string {
  const how = fill.startsWith('url(') ? `fill="${fill}"` : `class="${fill}"`;
  return `<rect ${how} x="${round(x)}" y="${y}" width="${wide}" height="${high}" rx="3"/>`;
}

function short(words: string, room: number): string {
  const most = Math.floor(room / charWidth);
  return words.length > most ? `${words.slice(0, most - 3)}...` : words;
}

function wrapped(words: string, room: number): readonly string[] {
  const most = Math.floor(room / charWidth);
  const lines: string[] = [];
  let current = '';
  for (const word of words.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > most) {
      lines.push(current);
      current = word;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  return [...lines, current];
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function text(x: number, y: number, content: string, kind: string, more = ''): string {
  return `<text class="${kind}" x="${round(x)}" y="${round(y)}"${more === '' ? '' : ` ${more}`}>${escaped(content)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Names come from a cluster: they are text, whatever they contain. */
function escaped(content: string): string {
  return content.replace(/[&<>"]/g, (one) => entities[one] ?? one);
}
