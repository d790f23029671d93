import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { realClock, type Timer } from '../time/clock.ts';

/** A reader this far behind is cut off; it comes back with the last revision it has seen. */
const maxUnsentBytes = 16 * 1024 * 1024;

/** So much of a long beginning is made ready at a time, and no more until the reader has taken it. */
const chunkBytes = 512 * 1024;

/** One write for everything that happens within this time: hundreds of watchers would else cost a record and a call each. */
const batchMs = 10;

/**
 * Writes lines to a response that stays open, in batches, without ever waiting for a reader that does not read. The network's
 * time is real, also where the cluster's is not.
 */
export class LineWriter {
  readonly #response: ServerResponse;
  readonly #settled: () => Promise<void>;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #timer: Timer | undefined;
  #flushedAt = 0;
  #beginning: Promise<void> | undefined;
  #done = false;

  /** `settled` resolves when everything that was written so far may be known to others. */
  constructor(response: ServerResponse, settled: () => Promise<void>, onClose: () => void) {
    this.#response = response;
    this.#settled = settled;
    response.on('error', () => undefined);
    response.on('close', () => {
      this.#done = true;
      this.#pending = [];
      this.#timer?.cancel();
      onClose();
    });
  }

  open(): void {
    this.#response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
    this.#response.flushHeaders();
  }

  /** Lines that come before all others. They are made only as fast as the reader takes them, however many there are. */
  begin(lines: Iterable<Buffer> | AsyncIterable<Buffer>): void {
    this.#beginning = this.#writeAll(lines)
      .catch(() => this.#cutOff())
      .finally(() => {
        this.#beginning = undefined;
        this.#schedule();
      });
  }

  write(line: Buffer): void {
    if (this.#done) return;
    this.#pending.push(line);
    this.#pendingBytes += line.length;
    if (this.#pendingBytes + this.#response.writableLength > maxUnsentBytes) this.#cutOff();
    else this.#schedule();
  }

  /** What was written still goes out. */
  end(): void {
    void this.#flush().then(() => {
      if (this.#done) return;
      this.#done = true;
      this.#response.end();
    });
  }

  async #writeAll(lines: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void> {
    let chunk: Buffer[] = [];
    let size = 0;
    for await (const line of lines) {
      chunk.push(line);
      size += line.length;
      if (size < chunkBytes) continue;
      await this.#put(chunk);
      if (this.#done) return;
      chunk = [];
      size = 0;
    }
    if (chunk.length > 0) await this.#put(chunk);
  }

  async #put(lines: readonly Buffer[]): Promise<void> {
    await this.#whenSettled();
    if (this.#done || this.#response.write(Buffer.concat(lines))) return;
    await Promise.race([once(this.#response, 'drain'), once(this.#response, 'close')]).catch(() => undefined);
  }

  async #whenSettled(): Promise<void> {
    try {
      await this.#settled();
    } catch {
      // The store has lost its disk: nothing more can be promised to anyone.
      this.#cutOff();
    }
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#beginning !== undefined || this.#pending.length === 0 || this.#done) return;
    const wait = Math.max(0, this.#flushedAt + batchMs - realClock.now());
    this.#timer = realClock.after(wait, () => void this.#flush());
  }

  async #flush(): Promise<void> {
    await this.#beginning;
    const lines = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#flushedAt = realClock.now();
    if (lines.length === 0) return;
    await this.#whenSettled();
    if (!this.#done) this.#response.write(lines.length === 1 ? (lines[0] as Buffer) : Buffer.concat(lines));
  }

  #cutOff(): void {
    this.#done = true;
    this.#response.destroy();
  }
}
