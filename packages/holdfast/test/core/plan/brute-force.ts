import type { PodKey } from '../../../src/core/drain/simulate.ts';
import type { World } from '../../../src/core/world/world.ts';
import { goAtOnce } from './execute.ts';

export interface BruteNode {
  readonly pods: readonly PodKey[];
  /** How many rounds it takes alone. */
  readonly rounds: number;
}

/** The fewest waves, by trying all ways to share the nodes out. */
export function fewestWaves(world: World, nodes: readonly BruteNode[]): number {
  let best = nodes.length;
  for (const parts of partitions(nodes)) {
    if (parts.length < best && parts.every((part) => canShareOut(world, part))) best = parts.length;
  }
  return best;
}

/** Whether each node's pods can be given rounds of its own so that all pods of a round are evicted at once. */
export function canShareOut(world: World, nodes: readonly BruteNode[]): boolean {
  const pods = nodes.flatMap((node) => node.pods.map((pod) => ({ pod, rounds: node.rounds })));
  const chosen: number[] = [];
  const go = (i: number): boolean => {
    const next = pods[i];
    if (next === undefined) {
      const last = Math.max(1, ...nodes.map(({ rounds }) => rounds));
      return Array.from({ length: last }, (_, round) => pods.filter((_, j) => chosen[j] === round)).every((round) =>
        goAtOnce(
          world,
          round.map(({ pod }) => pod),
        ),
      );
    }
    for (let round = 0; round < next.rounds; round += 1) {
      chosen[i] = round;
      if (go(i + 1)) return true;
    }
    return false;
  };
  return go(0);
}

function* partitions<T>(items: readonly T[]): Generator<readonly (readonly T[])[]> {
  const [first, ...rest] = items;
  if (first === undefined) {
    yield [];
    return;
  }
  for (const parts of partitions(rest)) {
    yield [[first], ...parts];
    for (let i = 0; i < parts.length; i += 1) {
      yield parts.map((part, j) => (i === j ? [first, ...part] : part));
    }
  }
}
