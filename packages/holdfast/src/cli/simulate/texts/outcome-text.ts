import { shortReason } from '../../drain/short-reason.ts';
import { drainedIn, evictedIn } from '../records/figures.ts';
import { outageText } from '../records/outages.ts';
import { isFinished, type SimulationResult, type Unfinished } from '../simulation-result.ts';
import { momentText, spanText } from './times.ts';

export interface OutcomeText {
  /** What came of it, first. */
  readonly verdict: string;
  readonly facts: string;
  /** What is worse than waiting: times in which nothing served, and what blocked the rest. */
  readonly alarms: readonly string[];
}

const maxAlarms = 5;

/** What came of it, in one sentence, and what the reader must not miss. */
export function outcomeText(result: SimulationResult): OutcomeText {
  const { nodes, durationMs, lastChangeMs, end, assumptions } = result;
  const verdict = {
    finished: `${isFinished(result) ? 'Finished' : 'Ended'} after ${spanText(durationMs)}`,
    standstill: `Not finished: nothing changed after ${momentText(lastChangeMs)}, for ${spanText(durationMs - lastChangeMs)}`,
    limit: `Not finished within ${spanText(assumptions.limitMs)} (--limit)`,
  }[end];
  const drained = `${drainedIn(result)} of ${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'} drained`;
  const evicted = evictedIn(result);
  const facts = `${drained}, ${evicted} ${evicted === 1 ? 'pod' : 'pods'} evicted`;
  return { verdict, facts, alarms: [...outageLines(result), ...blockers(result)] };
}

function outageLines({ outages, durationMs }: SimulationResult): readonly string[] {
  const shown = outages.slice(0, maxAlarms).map((one) => `Down: ${outageText(one, durationMs)}`);
  return outages.length > maxAlarms ? [...shown, `Down: and ${outages.length - maxAlarms} more times`] : shown;
}

function blockers({ unfinished, pending }: SimulationResult): readonly string[] {
  return [...counted('never evicted', unfinished), ...counted('without a node', pending)];
}

function counted(what: string, pods: readonly Unfinished[]): readonly string[] {
  const [first] = pods;
  if (first === undefined) return [];
  const { namespace, name } = first.pod;
  const why = shortReason(first.why.replace(/^refused: /, ''));
  const others = pods.length > 1 ? `, and ${pods.length - 1} more` : '';
  return [
    `Blocked: ${pods.length} ${pods.length === 1 ? 'pod' : 'pods'} ${what}: ${namespace}/${name} (${why})${others}`,
  ];
}
