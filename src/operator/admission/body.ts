import type { IncomingMessage } from 'node:http';
import type { Deadline } from './deadline.ts';

export type Body =
  /** Its memory is the reader's, until it gives it back. */
  | { readonly kind: 'read'; readonly bytes: Buffer; readonly release: () => void }
  /** It is longer than a review can be. */
  | { readonly kind: 'tooLarge' }
  /** All bodies that are being read now are more than the memory that is set aside for them. */
  | { readonly kind: 'busy' }
  /** It did not come in time. */
  | { readonly kind: 'late' }
  /** The client went away. */
  | { readonly kind: 'gone' };

/** How many bytes all bodies together may hold. */
export class BodyMemory {
  readonly #limit: number;
  #used = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  take(bytes: number): boolean {
    if (this.#used + bytes > this.#limit) return false;
    this.#used += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#used -= bytes;
  }
}

/**
 * Reads a body up to the limit. What is too much is still taken from the wire, for a while, and thrown away: a client that is cut
 * off while it writes never reads why.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  memory: BodyMemory,
  deadline: Deadline,
): Promise<Body> {
  return new Promise((resolve) => {
    const collected = new Collected(limit, memory, Number(request.headers['content-length'] ?? 0));
    const finish = (body: Body) => {
      request.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone);
      unsubscribe();
      if (body.kind !== 'read') collected.forget();
      request.resume();
      resolve(body);
    };
    const onData = (chunk: Buffer) => {
      if (!collected.add(chunk)) finish({ kind: 'tooLarge' });
    };
    const onEnd = () => finish(collected.body());
    const onGone = () => finish({ kind: 'gone' });
    let unsubscribe = () => {};
    request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone);
    unsubscribe = deadline.onEnd((kind) => finish({ kind }));
  });
}

/** What has arrived of one body. */
class Collected {
  readonly #limit: number;
  readonly #memory: BodyMemory;
  #chunks: Buffer[] = [];
  #kept = 0;
  #received = 0;
  #refused: 'tooLarge' | 'busy' | undefined;

  constructor(limit: number, memory: BodyMemory, announced: number) {
    this.#limit = limit;
    this.#memory = memory;
    this.#refused = announced > limit ? 'tooLarge' : undefined;
  }

  /** False: it is not worth listening any longer. */
  add(chunk: Buffer): boolean {
    this.#received += chunk.length;
    if (this.#received > this.#limit) this.#refused ??= 'tooLarge';
    if (this.#refused === undefined && !this.#memory.take(chunk.length)) this.#refused = 'busy';
    if (this.#refused === undefined) {
      this.#kept += chunk.length;
      this.#chunks.push(chunk);
    } else this.forget();
    return this.#received <= 2 * this.#limit;
  }

  forget(): void {
    this.#memory.give(this.#kept);
    this.#kept = 0;
    this.#chunks = [];
  }

  body(): Body {
    if (this.#refused !== undefined) return { kind: this.#refused };
    // Most reviews arrive in one piece.
    const [only] = this.#chunks;
    const bytes = only !== undefined && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks);
    return { kind: 'read', bytes, release: () => this.forget() };
  }
}
