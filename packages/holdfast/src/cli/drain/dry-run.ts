import { type PodKey, simulateDrain } from '../../core/drain/simulate.ts';
import { gapText } from '../../observe/once/gap.ts';
import type { LiveWorld } from '../../observe/once/live-world.ts';
import type { SeenNode } from '../../observe/once/nodes.ts';
import { exitCode } from '../../observe/problem.ts';
import { drainNoteLines, type Ending, type EndingFacts, neededFlagLines, refusalLines } from './ending.ts';
import type { DrainSelection } from './filters.ts';
import { podName } from './listed-pod.ts';
import { roundsText } from './rounds-text.ts';

export interface DryRunFacts extends Pick<EndingFacts, 'commandWith'> {
  readonly order: 'groups' | 'all';
}

/** What a drain would do, cumulatively: each eviction sees the pods evicted before it as gone. */
export function drainDryRunOf(
  nodes: readonly SeenNode[],
  { evicted, notes, refusals, missingFlags, lost }: DrainSelection,
  live: LiveWorld | undefined,
  { order, commandWith }: DryRunFacts,
): Ending {
  const title = `Draining ${nodes.map(({ name }) => name).join(', ')}: ${evicted.length} ${evicted.length === 1 ? 'pod' : 'pods'} (dry run: nothing was written)`;
  const open = nodes.filter(({ cordoned }) => !cordoned).map(({ name }) => name);
  const cordoning = open.length === 0 ? 'All nodes are cordoned already.' : `Would be cordoned: ${open.join(', ')}.`;
  const gaps = (live?.gaps ?? []).map((gap) => `warning: ${gapText(gap)}`);
  const err = [...drainNoteLines(notes), ...gaps];
  if (refusals.size > 0) {
    const flags = neededFlagLines({ missingFlags, commandWith });
    err.push('error: not all nodes would be drained', ...refusalLines(refusals), ...flags);
  }
  if (live === undefined) return { out: [title, cordoning], err, code: codeOf(refusals.size, 0) };
  const how = order === 'groups' ? 'any' : 'given';
  const away = new Set(evicted.flatMap((pod) => (lost.has(pod.uid) ? [podName(pod)] : [])));
  const isLost = (pod: PodKey) => away.has(podName(pod));
  const result = simulateDrain(live.world, evicted, live.readAt, { order: how, comesBack: (pod) => !isLost(pod) });
  const text = roundsText({ title: `${title}\n${cordoning}`, pods: evicted.length, isLost }, result);
  return { out: [text.trimEnd()], err, code: codeOf(refusals.size, result.stuck.length) };
}

function codeOf(refused: number, stuck: number): number {
  return refused === 0 && stuck === 0 ? exitCode.yes : exitCode.no;
}
