import { drainAlone } from './alone.ts';
import type { Mover } from './movers.ts';
import { type PackedWave, WavePacker } from './pack-wave.ts';
import type { Room } from './room.ts';
import type { DrainCandidate, Site } from './site.ts';
import type { Strategy } from './strategies.ts';

/** A whole plan as it comes out of one way to order the nodes. */
export interface PlanOutcome {
  readonly waves: readonly PackedWave[];
  readonly drained: number;
  /** Nodes that found no room in this order, each with the first pod without a place. */
  readonly noRoom: ReadonlyMap<string, Mover>;
}

/** Which of the nodes that are left may be in the next wave, in which order. */
export type Choose = (left: readonly DrainCandidate[]) => readonly DrainCandidate[];

/** Wave after wave, until no node is left or none can go. */
export function carryOut(site: Site, strategy: Strategy): PlanOutcome {
  const state = new State(site, strategy);
  const waves: PackedWave[] = [];
  let noRoom: ReadonlyMap<string, Mover> = new Map();
  let drained = 0;
  for (;;) {
    const wave = state.next();
    if (wave.members.length === 0) return { waves, drained, noRoom: wave.noRoom };
    noRoom = wave.noRoom;
    waves.push(wave);
    drained += wave.members.length;
    if (state.isDone) return { waves, drained, noRoom };
  }
}

/** Which nodes are still to be drained, and what moved onto them meanwhile. */
class State {
  readonly #site: Site;
  readonly #strategy: Strategy;
  readonly #room: Room | undefined;
  #left: readonly DrainCandidate[];
  /** Nodes that pods may go to without having to move again. */
  readonly #safe: string[];
  readonly #cordoned: ReadonlySet<string>;

  constructor(site: Site, strategy: Strategy) {
    this.#site = site;
    this.#strategy = strategy;
    this.#room = site.newRoom();
    this.#left = site.candidates;
    const listed = new Set(site.candidates.map(({ name }) => name));
    this.#safe = site.nodes.flatMap(({ name, unschedulable }) => (listed.has(name) || unschedulable ? [] : [name]));
    this.#cordoned = new Set(site.nodes.flatMap(({ name, unschedulable }) => (unschedulable ? [name] : [])));
  }

  get isDone(): boolean {
    return this.#left.length === 0;
  }

  next(): PackedWave {
    const { choose, atMost = Number.POSITIVE_INFINITY } = this.#strategy;
    const order = choose(this.#left);
    // Pods that have to go to a node which is still to be drained go to one that is drained late.
    const late = order.map(({ name }) => name).filter((name) => !this.#cordoned.has(name));
    this.#room?.open([...this.#safe, ...late.reverse()]);
    const wave = new WavePacker(this.#site, this.#room).pack(order, atMost);
    this.#settle(wave);
    return wave;
  }

  /** The pods of the wave are back, and their nodes, too. */
  #settle({ members }: PackedWave): void {
    const drained = new Set(members.map(({ candidate }) => candidate.name));
    if (!this.#site.options.forGood) this.#safe.push(...drained);
    const arrived = this.#room?.close();
    this.#left = this.#left.flatMap((candidate) => {
      if (drained.has(candidate.name)) return [];
      const more = arrived?.get(candidate.name);
      return more === undefined ? [candidate] : [this.#withMore(candidate, more)];
    });
  }

  /** Every pod can go on its own, so a node with more of them can still be drained; it may take more rounds. */
  #withMore(candidate: DrainCandidate, more: readonly Mover[]): DrainCandidate {
    const alone = drainAlone(this.#site.overlay, [...candidate.alone.order, ...more], this.#site.allowances);
    return alone.ok ? { name: candidate.name, alone } : candidate;
  }
}
