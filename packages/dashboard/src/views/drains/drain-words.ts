import type { DrainPod, DrainProgress, RefusalRow } from '../../model.ts';
import { counted, numberText } from '../../words/counts.ts';

/** What goes on first, and of that the drain that has waited longest. */
export function drainOrder(drains: readonly DrainProgress[]): readonly DrainProgress[] {
  return drains.toSorted((a, b) => Number(a.state === 'drained') - Number(b.state === 'drained') || a.since - b.since);
}

/** `3 of 5 pods evicted`; pods that left before this server looked are not known. */
export function progressText({ state, evicted, left }: DrainProgress): string {
  if (state === 'drained') return evicted === 0 ? 'drained' : `drained, ${counted(evicted, 'pod')} evicted`;
  return `${numberText(evicted)} of ${counted(evicted + left, 'pod')} evicted`;
}

export function progressOf({ state, evicted, left }: DrainProgress): number {
  return state === 'drained' || evicted + left === 0 ? 100 : (evicted / (evicted + left)) * 100;
}

export const drainPodWords: Readonly<Record<DrainPod['state'], string>> = {
  leaving: 'leaving',
  ready: 'can be evicted now',
  waits: 'waits',
  blocked: 'blocked',
};

/** `refused 14 times in 3m`, newest first. */
export function refusalOrder(refusals: readonly RefusalRow[]): readonly RefusalRow[] {
  return refusals.toSorted((a, b) => b.last - a.last);
}
