import type { GroupResult, SimulationResult, Span } from '../simulation-result.ts';

/** Together, without counting a moment twice. An open end is that of the simulation. */
export function lengthOf(spans: readonly Span[], end: number): number {
  return spans.reduce((sum, { from, to = end }) => sum + Math.max(0, to - from), 0);
}

/** How many groups were down at the same time, at the worst. */
export function mostDownAtOnce(groups: readonly GroupResult[], end: number): number {
  const edges = groups.flatMap(({ down }) =>
    down.flatMap(({ from, to = end }) => [
      { at: from, by: 1 },
      { at: to, by: -1 },
    ]),
  );
  // Of two things at the same moment the end counts first: what was handed over was never twice.
  edges.sort((a, b) => a.at - b.at || a.by - b.by);
  let now = 0;
  let most = 0;
  for (const { by } of edges) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}

export function evictedIn({ nodes }: SimulationResult): number {
  return nodes.reduce((sum, { evicted }) => sum + evicted, 0);
}

export function drainedIn({ nodes }: SimulationResult): number {
  return nodes.filter(({ drained }) => drained !== undefined).length;
}

/** When all budgets together had something at its limit. */
export function atLimitIn({ budgets, durationMs }: SimulationResult): number {
  return budgets.reduce((sum, { atLimit }) => sum + lengthOf(atLimit, durationMs), 0);
}

export function downIn({ groups, durationMs }: SimulationResult): number {
  return groups.reduce((sum, { down }) => sum + lengthOf(down, durationMs), 0);
}
