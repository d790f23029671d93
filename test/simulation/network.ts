import type { Duplex } from 'node:stream';
import { linkPair } from '../../packages/holdfast/src/cli/simulate/link.ts';
import type { Clock } from '../../packages/holdfast/src/kube/time/clock.ts';
import type { Random } from '../../packages/holdfast/test/core/ledger-model/random.ts';
import { Wire } from './wire.ts';

/** How bad the network is, in percent of the pieces that it carries. */
export interface Weather {
  /** Delayed by up to `shortMs`. */
  readonly shortPercent: number;
  readonly shortMs: number;
  /** Delayed by up to `longMs`. */
  readonly longPercent: number;
  readonly longMs: number;
}

export const calm: Weather = { shortPercent: 0, shortMs: 0, longPercent: 0, longMs: 0 };

/**
 * The network between the processes of a simulation. Each connection carries its bytes in order; pieces are delayed at random, so
 * that the order between connections is open. A connection can be cut (both ends see it close) or die silently (nothing arrives any
 * more, and neither end is told).
 */
export class Network {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #wires = new Set<Wire>();
  /** What the processes hold, until it is closed. */
  readonly #ends = new Set<Duplex>();
  readonly #held = new Set<string>();
  #isClosed = false;
  weather: Weather = calm;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  connect(from: string, to: string, accept: (end: Duplex) => void): Duplex {
    const wire: Wire = new Wire(from, to, {
      clock: this.#clock,
      delay: () => this.#delay(),
      closed: () => this.#wires.delete(wire),
    });
    const { near, far } = wire;
    this.#wires.add(wire);
    if (this.#held.has(from) || this.#held.has(to)) wire.hold();
    this.#ends.add(far).add(near);
    for (const end of [near, far]) end.once('close', () => this.#ends.delete(end));
    accept(far);
    return near;
  }

  /** A connection on which nothing is ever sent or answered. */
  connectToNothing(): Duplex {
    const [near] = linkPair();
    // Not at once: Node.js does not listen to it yet, and would wait for its end for ever.
    if (this.#isClosed) setImmediate(() => near.destroy());
    else this.#ends.add(near);
    return near;
  }

  /** The end of the simulation: an HTTP parser holds its connection, and all that belongs to it, until the connection is closed. */
  close(): void {
    this.#isClosed = true;
    for (const end of this.#ends) end.destroy();
  }

  /** Closes every connection of a process, as a kernel does for one that was killed. */
  cut(party: string, chosen: () => boolean = () => true): number {
    return this.#each(party, chosen, (wire) => wire.cut());
  }

  /** Existing connections of a process die silently; new ones work. */
  freeze(party: string, chosen: () => boolean = () => true): number {
    return this.#each(party, chosen, (wire) => wire.freeze());
  }

  /** The process is stopped, or its cable is pulled: what is sent to it or by it waits. */
  hold(party: string): void {
    this.#held.add(party);
    this.#each(
      party,
      () => true,
      (wire) => wire.hold(),
    );
  }

  release(party: string): void {
    this.#held.delete(party);
    for (const wire of this.#wires) {
      if (wire.joins(party) && !wire.parties.some((one) => this.#held.has(one))) wire.release();
    }
  }

  #each(party: string, chosen: () => boolean, act: (wire: Wire) => void): number {
    const wires = [...this.#wires].filter((wire) => wire.joins(party) && chosen());
    for (const wire of wires) act(wire);
    return wires.length;
  }

  #delay(): number {
    const { shortPercent, shortMs, longPercent, longMs } = this.weather;
    if (shortPercent === 0 && longPercent === 0) return 0;
    const draw = this.#random.below(100);
    if (draw < longPercent) return 1 + this.#random.below(longMs);
    return draw < longPercent + shortPercent ? 1 + this.#random.below(shortMs) : 0;
  }
}
