import type { UiHead } from '../model.ts';
import { counted } from '../words/counts.ts';

/**
 * What a screen reader says by itself: only what a person at the keyboard would be told by a colleague. Numbers that move all the time
 * (pods, drains under way) are on the page, and are not spoken.
 */
export function announcement(before: UiHead | undefined, after: UiHead): string | undefined {
  if (before === undefined) return undefined;
  if (before.data.kind !== after.data.kind) return dataSentence(after);
  const was = before.counts.budgets.blocked;
  const is = after.counts.budgets.blocked;
  if (was !== is)
    return is === 0 ? 'No budget blocks any more.' : `${counted(is, 'budget')} ${is === 1 ? 'blocks' : 'block'} now.`;
  const drained = after.counts.nodes.drained - before.counts.nodes.drained;
  return drained > 0 ? `${counted(after.counts.nodes.drained, 'node')} drained.` : undefined;
}

function dataSentence({ data }: UiHead): string {
  if (data.kind === 'live') return 'The data is current.';
  if (data.kind === 'stale') return 'The API server does not answer. What is shown is old.';
  return 'The cluster is being read.';
}
