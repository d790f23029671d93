import { obtain } from '../world/selector-index.ts';
import type { PlanNode, PodShape } from './input.ts';
import type { Mover } from './movers.ts';
import type { Permissions } from './permissions.ts';

/** A node with what is free on it. */
interface Place {
  readonly node: PlanNode;
  /** By resource; what is not listed is none, but for the number of pods. */
  readonly free: Map<string, number>;
}

/** Where one pod goes. */
interface Move {
  readonly mover: Mover;
  readonly shape: PodShape;
  readonly to: Place;
}

/** Where there is room for pods, from wave to wave. */
export class Room {
  readonly #permissions: Permissions;
  readonly #places = new Map<string, Place>();
  #hosts: readonly Place[] = [];
  readonly #leaving = new Set<Place>();
  readonly #hosting = new Set<Place>();
  /** How far the search for a shape has come in this wave: places only fill up. */
  readonly #cursors = new Map<PodShape, number>();
  readonly #moves = new Map<string, readonly Move[]>();

  constructor(nodes: readonly PlanNode[], tenants: (node: string) => Iterable<Mover>, permissions: Permissions) {
    this.#permissions = permissions;
    for (const node of nodes) {
      const place = { node, free: new Map(node.allocatable) };
      for (const { shape } of tenants(node.name)) if (shape !== undefined) charge(place, shape, -1);
      this.#places.set(node.name, place);
    }
  }

  /** Begins a wave in which pods may go to these nodes; the first ones are filled first. */
  open(hosts: readonly string[]): void {
    this.#hosts = hosts.flatMap((name) => this.#places.get(name) ?? []);
    this.#leaving.clear();
    this.#hosting.clear();
    this.#cursors.clear();
    this.#moves.clear();
  }

  /** It takes in pods of this wave, so it cannot be drained in the same one. */
  isHosting(node: string): boolean {
    const place = this.#places.get(node);
    return place !== undefined && this.#hosting.has(place);
  }

  /**
   * Finds places for the pods of a node; its replacement, if it has one already, takes all that may run there. The first pod without
   * a place is returned, and then nothing has changed.
   */
  vacate(node: string, movers: readonly Mover[], replaced: boolean): Mover | undefined {
    const place = this.#places.get(node);
    if (place !== undefined) this.#leaving.add(place);
    const before = new Map<PodShape, number>();
    const moves: Move[] = [];
    for (const mover of movers) {
      const { shape } = mover;
      if (shape === undefined || (replaced && place !== undefined && this.#permissions.allowsOnTwin(shape, place.node)))
        continue;
      const to = this.#find(shape, before);
      if (to === undefined) {
        this.#undo(moves, before);
        if (place !== undefined) this.#leaving.delete(place);
        return mover;
      }
      charge(to, shape, -1);
      moves.push({ mover, shape, to });
    }
    for (const { to } of moves) this.#hosting.add(to);
    this.#moves.set(node, moves);
    return undefined;
  }

  /** The node stays after all. */
  stay(node: string): void {
    for (const { shape, to } of this.#moves.get(node) ?? []) charge(to, shape, 1);
    this.#moves.delete(node);
    const place = this.#places.get(node);
    if (place !== undefined) this.#leaving.delete(place);
  }

  /** Ends the wave. Returns which pods are now on which nodes; those that are not named are back on their node's replacement. */
  close(): ReadonlyMap<string, readonly Mover[]> {
    const arrived = new Map<string, Mover[]>();
    for (const [node, moves] of this.#moves) {
      const from = this.#places.get(node);
      for (const { mover, shape, to } of moves) {
        if (from !== undefined) charge(from, shape, 1);
        obtain(arrived, to.node.name, () => []).push(mover);
      }
    }
    return arrived;
  }

  #find(shape: PodShape, before: Map<PodShape, number>): Place | undefined {
    const start = this.#cursors.get(shape) ?? 0;
    if (!before.has(shape)) before.set(shape, start);
    for (let i = start; i < this.#hosts.length; i += 1) {
      const place = this.#hosts[i];
      if (place === undefined || this.#leaving.has(place) || !this.#fits(shape, place)) continue;
      this.#cursors.set(shape, i);
      return place;
    }
    this.#cursors.set(shape, this.#hosts.length);
    return undefined;
  }

  #undo(moves: readonly Move[], before: ReadonlyMap<PodShape, number>): void {
    for (const { shape, to } of moves) charge(to, shape, 1);
    for (const [shape, cursor] of before) this.#cursors.set(shape, cursor);
  }

  #fits(shape: PodShape, { node, free }: Place): boolean {
    if ((free.get('pods') ?? Number.POSITIVE_INFINITY) < 1) return false;
    for (const [resource, amount] of shape.requests) if (amount > 0 && (free.get(resource) ?? 0) < amount) return false;
    return this.#permissions.allows(shape, node);
  }
}

function charge({ free }: Place, { requests }: PodShape, sign: 1 | -1): void {
  for (const [resource, amount] of requests) free.set(resource, (free.get(resource) ?? 0) + sign * amount);
  const pods = free.get('pods');
  if (pods !== undefined) free.set('pods', pods + sign);
}
