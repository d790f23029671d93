import type { PodKey } from '../../../src/core/drain/simulate.ts';
import type { World } from '../../../src/core/world/world.ts';
import { type BruteNode, canShareOut } from './brute-force.ts';

interface Search {
  readonly world: World;
  /** How many rounds each node takes alone, with the pods that it had at first. */
  readonly roundsAtRest: ReadonlyMap<string, number>;
  readonly names: readonly string[];
  /** Pods that fit on a node. */
  readonly room: number;
}

/** Which pods are on which node. */
type Placement = ReadonlyMap<string, readonly PodKey[]>;

/**
 * The fewest waves, by trying every set of nodes for every wave, and every place for every pod that has to move. A node that pods
 * moved to may take a round for each pod: more than it would take, so that this is never above what a plan could reach. Undefined:
 * there is no plan.
 */
export function fewestWavesWithRoom(search: Search, first: Placement): number | undefined {
  let states = [{ drained: new Set<string>(), at: first }];
  const seen = new Set<string>();
  for (let waves = 0; states.length > 0; waves += 1) {
    if (states.some(({ drained }) => drained.size === search.names.length)) return waves;
    const next: typeof states = [];
    for (const { drained, at } of states) {
      for (const set of subsets(search.names.filter((name) => !drained.has(name)))) {
        if (!goTogether(search, set, at, first)) continue;
        for (const moved of placements(search, set, at)) {
          const after = new Set([...drained, ...set]);
          const key = JSON.stringify([[...after].sort(), [...moved].map(([name, pods]) => [name, namesOf(pods)])]);
          if (seen.has(key)) continue;
          seen.add(key);
          next.push({ drained: after, at: moved });
        }
      }
    }
    states = next;
  }
  return undefined;
}

const namesOf = (pods: readonly PodKey[]) => pods.map(({ name }) => name).sort();

function* subsets(names: readonly string[]): Generator<readonly string[]> {
  for (let set = 1; set < 2 ** names.length; set += 1) yield names.filter((_, i) => (set & (1 << i)) !== 0);
}

function goTogether({ world, roundsAtRest }: Search, set: readonly string[], at: Placement, first: Placement): boolean {
  const nodes = set.map((name): BruteNode => {
    const pods = at.get(name) ?? [];
    const atRest = pods.length === first.get(name)?.length;
    return { pods, rounds: atRest ? (roundsAtRest.get(name) ?? 1) : Math.max(1, pods.length) };
  });
  return canShareOut(world, nodes);
}

/** Every way to put the pods of these nodes on others that have room. */
function* placements({ names, room }: Search, set: readonly string[], at: Placement): Generator<Placement> {
  const moving = set.flatMap((name) => at.get(name) ?? []);
  const hosts = names.filter((name) => !set.includes(name));
  const start = new Map(names.map((name) => [name, set.includes(name) ? [] : (at.get(name) ?? [])]));
  yield* place(moving, hosts, start, room);
}

function* place(
  [pod, ...rest]: readonly PodKey[],
  hosts: readonly string[],
  at: Placement,
  room: number,
): Generator<Placement> {
  if (pod === undefined) {
    yield at;
    return;
  }
  for (const host of hosts) {
    const there = at.get(host) ?? [];
    if (there.length < room) yield* place(rest, hosts, new Map([...at, [host, [...there, pod]]]), room);
  }
}
