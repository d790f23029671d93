import { simulateDrain } from '../../core/drain/simulate.ts';
import { gapText } from '../live/gap.ts';
import type { LiveWorld } from '../live/live-world.ts';
import type { SeenNode } from '../live/nodes.ts';
import { exitCode } from '../output/problem.ts';
import { type Ending, noteLines, refusalLines } from './ending.ts';
import type { Selection } from './filters.ts';
import { simulationText } from './waves-text.ts';

/** What a drain would do, cumulatively: each wave sees what the pods before it took away. */
export function dryRunOf(
  nodes: readonly SeenNode[],
  { evicted, notes, refusals }: Selection,
  live: LiveWorld | undefined,
  order: 'groups' | 'all',
): Ending {
  const title = `Draining ${nodes.map(({ name }) => name).join(', ')}: ${evicted.length} pods (dry run: nothing was written)`;
  const open = nodes.filter(({ cordoned }) => !cordoned).map(({ name }) => name);
  const cordoning = open.length === 0 ? 'All nodes are cordoned already.' : `Would be cordoned: ${open.join(', ')}.`;
  const gaps = (live?.gaps ?? []).map((gap) => `warning: ${gapText(gap)}`);
  const err = [...noteLines(notes), ...gaps];
  if (refusals.size > 0) err.push('error: not all nodes would be drained', ...refusalLines(refusals));
  if (live === undefined) return { out: [title, cordoning], err, code: codeOf(refusals.size, 0) };
  const how = order === 'groups' ? 'any' : 'given';
  const result = simulateDrain(live.world, evicted, live.readAt, { order: how });
  const text = simulationText(`${title}\n${cordoning}`, evicted.length, result);
  return { out: [text.trimEnd()], err, code: codeOf(refusals.size, result.stuck.length) };
}

function codeOf(refused: number, stuck: number): number {
  return refused === 0 && stuck === 0 ? exitCode.yes : exitCode.no;
}
