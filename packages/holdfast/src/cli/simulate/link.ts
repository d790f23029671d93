import { Duplex } from 'node:stream';

/** What HTTP asks of a socket and a stream within this process has no use for: there are no slow peers here, and nothing is kept alive. */
export abstract class SocketLike extends Duplex {
  setTimeout(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/**
 * One end of a connection within this process, for HTTP. No kernel has a say in it, so that the order of what happens follows from the
 * program alone.
 */
class LinkEnd extends SocketLike {
  #other: LinkEnd | undefined;
  #taken: (() => void) | undefined;

  constructor() {
    super({ allowHalfOpen: false });
  }

  static pair(): readonly [LinkEnd, LinkEnd] {
    const [one, other] = [new LinkEnd(), new LinkEnd()];
    one.#other = other;
    other.#other = one;
    return [one, other];
  }

  override _read(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const other = this.#other;
    if (other === undefined || other.destroyed || other.readableEnded || other.push(chunk)) done();
    else other.#taken = done;
  }

  override _final(done: () => void): void {
    this.#end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#end();
    this._read();
    done(error);
  }

  #end(): void {
    const other = this.#other;
    if (other !== undefined && !other.destroyed && !other.#ended) {
      other.#ended = true;
      other.push(null);
    }
  }

  #ended = false;
}

/** Two ends: what is written to one is read from the other. */
export function linkPair(): readonly [Duplex, Duplex] {
  return LinkEnd.pair();
}

/** A new connection; `accept` gets the other end of it. */
export function linkTo(accept: (connection: Duplex) => void): Duplex {
  const [near, far] = linkPair();
  accept(far);
  return near;
}
