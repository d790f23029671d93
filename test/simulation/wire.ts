import { SocketLike } from '../../packages/holdfast/src/cli/simulate/link.ts';
import type { Clock } from '../../packages/holdfast/src/kube/time/clock.ts';

interface WireTerms {
  readonly clock: Clock;
  /** How long the next piece is on its way, in milliseconds. */
  readonly delay: () => number;
  /** Called when both ends are closed. */
  readonly closed: () => void;
}

/** One connection of the simulated network. Bytes arrive in the order in which they were sent, in each direction. */
export class Wire {
  readonly parties: readonly [string, string];
  readonly near: WireEnd;
  readonly far: WireEnd;
  readonly #pipes: readonly [Pipe, Pipe];

  constructor(from: string, to: string, terms: WireTerms) {
    this.parties = [from, to];
    const [there, back] = [new Pipe(terms), new Pipe(terms)];
    this.#pipes = [there, back];
    this.near = new WireEnd(there);
    this.far = new WireEnd(back);
    there.sink = this.far;
    back.sink = this.near;
    let open = 2;
    for (const end of [this.near, this.far]) {
      end.once('close', () => {
        open -= 1;
        if (open === 0) terms.closed();
      });
    }
  }

  joins(party: string): boolean {
    return this.parties.includes(party);
  }

  /** Both ends see it close; what is on its way is lost. */
  cut(): void {
    for (const pipe of this.#pipes) pipe.cut();
  }

  /** Nothing arrives any more, and neither end is told. */
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

/** What a process holds of a connection. */
class WireEnd extends SocketLike {
  readonly #out: Pipe;

  constructor(out: Pipe) {
    super({ allowHalfOpen: false });
    this.#out = out;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#out.send(chunk);
    done();
  }

  override _final(done: () => void): void {
    this.#out.send(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#out.send(null);
    done(error);
  }
}

/** One direction of a connection. `null` is its end. */
class Pipe {
  readonly #terms: WireTerms;
  readonly #queue: (Buffer | null)[] = [];
  #waiting = false;
  #state: 'open' | 'forNow' | 'forGood' = 'open';
  #ended = false;
  #delivered = false;
  sink: WireEnd | undefined;

  constructor(terms: WireTerms) {
    this.#terms = terms;
  }

  send(piece: Buffer | null): void {
    if (this.#ended) return;
    this.#ended = piece === null;
    this.#queue.push(piece);
    this.#pump();
  }

  stop(how: 'forNow' | 'forGood'): void {
    if (this.#state !== 'forGood') this.#state = how;
  }

  go(): void {
    if (this.#state === 'forNow') this.#state = 'open';
    this.#pump();
  }

  cut(): void {
    this.#ended = true;
    this.#queue.length = 0;
    this.#hand(null);
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
    if (piece !== undefined) this.#hand(piece);
  }

  #hand(piece: Buffer | null): void {
    if (this.sink === undefined || this.sink.destroyed || this.#delivered) return;
    this.#delivered = piece === null;
    this.sink.push(piece);
  }
}
