import type { ServerResponse } from 'node:http';
import type { Wire } from '../../registry/registry.ts';
import type { Timer } from '../../time/clock.ts';
import { writeChunks } from './write-chunks.ts';

/** A reader this far behind is cut off; it comes back with the last revision it has seen. */
const maxUnsentBytes = 16 * 1024 * 1024;

const maxBatchMs = 100;

let openWriters = 0;

/** One write for everything that happens within this time. What comes after a pause goes out at once. */
function batchMs({ batchMsEach }: Wire): number {
  return Math.min(openWriters * batchMsEach, maxBatchMs);
}

/**
 * Writes lines to a response that stays open, in batches, without ever waiting for a reader that does not read: what it has
 * not taken yet stays here, as lines that it shares with others.
 */
export class LineWriter {
  readonly #response: ServerResponse;
  readonly #settled: () => Promise<void>;
  readonly #wire: Wire;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #timer: Timer | undefined;
  #flushedAt = 0;
  /** A write that waits for its reader. There is one at a time. */
  #writing: Promise<void> | undefined;
  #done = false;

  /** `settled` resolves when everything that was written so far may be known to others. */
  constructor(response: ServerResponse, wire: Wire, settled: () => Promise<void>, onClose: () => void) {
    this.#response = response;
    this.#wire = wire;
    this.#settled = settled;
    response.on('error', () => undefined);
    if (response.destroyed) {
      this.#done = true;
      return;
    }
    openWriters += 1;
    response.on('close', () => {
      openWriters -= 1;
      this.#done = true;
      this.#pending = [];
      this.#timer?.cancel();
      onClose();
    });
  }

  /** Nothing that is written reaches the client any more. */
  get isDone(): boolean {
    return this.#done;
  }

  open(contentType: string): void {
    this.#response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-cache, private' });
    this.#response.flushHeaders();
  }

  /** Lines that come before all others. They are made only as fast as the reader takes them, however many there are. */
  begin(lines: Iterable<Buffer> | AsyncIterable<Buffer>): void {
    this.#start(lines);
  }

  write(line: Buffer): void {
    if (this.#done) return;
    this.#pending.push(line);
    this.#pendingBytes += line.length;
    if (this.#pendingBytes > maxUnsentBytes) this.#cutOff();
    else this.#schedule();
  }

  /** What was written still goes out. */
  end(): void {
    void this.#flushed().then(() => {
      if (this.#done) return;
      this.#done = true;
      this.#response.end();
    });
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#writing !== undefined || this.#pending.length === 0 || this.#done) return;
    const wait = Math.max(0, this.#flushedAt + batchMs(this.#wire) - this.#wire.clock.now());
    this.#timer = this.#wire.clock.after(wait, () => {
      this.#timer = undefined;
      this.#flush();
    });
  }

  async #flushed(): Promise<void> {
    await this.#writing;
    this.#flush();
    await this.#writing;
  }

  #flush(): void {
    if (this.#writing !== undefined || this.#pending.length === 0 || this.#done) return;
    const lines = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#flushedAt = this.#wire.clock.now();
    this.#start(lines);
  }

  #start(lines: Iterable<Buffer> | AsyncIterable<Buffer>): void {
    this.#writing = writeChunks(this.#response, lines, () => this.#whenSettled())
      .catch(() => this.#cutOff())
      .finally(() => {
        this.#writing = undefined;
        this.#schedule();
      });
  }

  async #whenSettled(): Promise<void> {
    try {
      await this.#settled();
    } catch {
      // The store has lost its disk: nothing more can be promised to clients.
      this.#cutOff();
    }
  }

  #cutOff(): void {
    this.#done = true;
    this.#response.destroy();
  }
}
