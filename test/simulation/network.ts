import type { Duplex } from 'node:stream';
import { linkPair } from '../../src/cli/simulate/link.ts';
import type { Clock } from '../../src/kube/time/clock.ts';
import type { Random } from '../core/ledger-model/random.ts';

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
    const [near, a] = linkPair();
    const [b, far] = linkPair();
    const wire: Wire = new Wire(from, to, [a, b], {
      clock: this.#clock,
      delay: () => this.#delay(),
      closed: () => this.#wires.delete(wire),
    });
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

interface WireTerms {
  readonly clock: Clock;
  readonly delay: () => number;
  readonly closed: () => void;
}

class Wire {
  readonly parties: readonly [string, string];
  readonly #ends: readonly [Duplex, Duplex];
  readonly #pipes: readonly [Pipe, Pipe];

  constructor(from: string, to: string, ends: readonly [Duplex, Duplex], terms: WireTerms) {
    this.parties = [from, to];
    this.#ends = ends;
    const [a, b] = ends;
    this.#pipes = [new Pipe(a, b, terms), new Pipe(b, a, terms)];
    for (const end of ends) end.once('close', terms.closed);
  }

  joins(party: string): boolean {
    return this.parties.includes(party);
  }

  cut(): void {
    for (const end of this.#ends) end.destroy();
  }

  freeze(): void {
    for (const pipe of this.#pipes) pipe.stop('forGood');
  }

  hold(): void {
    for (const pipe of this.#pipes) pipe.stop('forNow');
  }

  release(): void {
    for (const pipe of this.#pipes) pipe.go();
  }
}

/** One direction of a connection. `null` is its end. */
class Pipe {
  readonly #sink: Duplex;
  readonly #terms: WireTerms;
  readonly #queue: (Buffer | null)[] = [];
  #waiting = false;
  #state: 'open' | 'forNow' | 'forGood' = 'open';

  constructor(source: Duplex, sink: Duplex, terms: WireTerms) {
    this.#sink = sink;
    this.#terms = terms;
    let ended = false;
    const end = () => {
      if (!ended) this.#push(null);
      ended = true;
    };
    source.on('data', (piece: Buffer) => this.#push(piece));
    source.once('end', end);
    source.once('close', end);
    source.on('error', () => undefined);
  }

  stop(how: 'forNow' | 'forGood'): void {
    if (this.#state !== 'forGood') this.#state = how;
  }

  go(): void {
    if (this.#state === 'forNow') this.#state = 'open';
    this.#pump();
  }

  #push(piece: Buffer | null): void {
    this.#queue.push(piece);
    this.#pump();
  }

  #pump(): void {
    while (this.#queue.length > 0 && !this.#waiting && this.#state === 'open') {
      const delay = this.#terms.delay();
      if (delay > 0) {
        this.#waiting = true;
        this.#terms.clock.after(delay, () => {
          this.#waiting = false;
          if (this.#state === 'open') this.#deliver();
          this.#pump();
        });
      } else this.#deliver();
    }
  }

  #deliver(): void {
    const piece = this.#queue.shift();
    if (piece === undefined || this.#sink.destroyed) return;
    if (piece === null) this.#sink.end();
    else this.#sink.write(piece);
  }
}
