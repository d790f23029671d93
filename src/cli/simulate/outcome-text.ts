import { drainedIn, evictedIn } from './figures.ts';
import { isFinished, type SimulationResult } from './result.ts';
import { momentText, spanText } from './times.ts';

/** What came of it, in one sentence: what is said first, and how much of it was done. */
export function outcomeText(result: SimulationResult): { readonly verdict: string; readonly facts: string } {
  const { nodes, durationMs, lastChangeMs, end, assumptions } = result;
  const verdict = {
    finished: `${isFinished(result) ? 'Finished' : 'Over'} after ${spanText(durationMs)}`,
    standstill: `Not finished: nothing changed after ${momentText(lastChangeMs)}, for ${spanText(durationMs - lastChangeMs)}`,
    limit: `Not finished within ${spanText(assumptions.limitMs)} (--limit)`,
  }[end];
  const drained = `${drainedIn(result)} of ${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'} drained`;
  const evicted = evictedIn(result);
  return { verdict, facts: `${drained}, ${evicted} ${evicted === 1 ? 'pod' : 'pods'} evicted` };
}
