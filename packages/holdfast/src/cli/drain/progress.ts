import type { Tracked } from '../../core/drain/census.ts';
import { isAway } from '../../core/drain/course-pod.ts';

export interface DrainCount {
  readonly total: number;
  readonly gone: number;
  readonly elapsedMs: number;
  /** If it goes on as it went so far; undefined: nothing went yet, or nothing is left. */
  readonly leftMs: number | undefined;
}

export function progressOf(pods: readonly Tracked[], startedAt: number, now: number): DrainCount {
  const gone = pods.filter(({ state }) => isAway(state)).length;
  const left = pods.length - gone;
  const elapsedMs = now - startedAt;
  return {
    total: pods.length,
    gone,
    elapsedMs,
    leftMs: gone === 0 || left === 0 ? undefined : (elapsedMs / gone) * left,
  };
}

export function progressBar({ total, gone }: DrainCount, width: number): string {
  const filled = total === 0 ? width : Math.floor((width * gone) / total);
  return `[${'#'.repeat(filled)}${'-'.repeat(width - filled)}]`;
}
