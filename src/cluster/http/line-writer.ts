import type { ServerResponse } from 'node:http';
import { realClock, type Timer } from '../time/clock.ts';

/** A reader this far behind is cut off; it comes back with the last revision it has seen. */
const maxUnsentBytes = 16 * 1024 * 1024;

/** One write for everything that happens within this time: hundreds of watchers would else cost a record and a call each. */
const batchMs = 10;

/**
 * Writes lines to a response that stays open, in batches, without ever waiting for a reader that does not read. The network's
 * time is real, also where the cluster's is not.
 */
export class LineWriter {
  readonly #response: ServerResponse;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #timer: Timer | undefined;
  #flushedAt = 0;
  #done = false;

  constructor(response: ServerResponse, onClose: () => void) {
    this.#response = response;
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

  write(line: Buffer): void {
    if (this.#done) return;
    this.#pending.push(line);
    this.#pendingBytes += line.length;
    if (this.#pendingBytes + this.#response.writableLength > maxUnsentBytes) {
      this.#cutOff();
      return;
    }
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, this.#flushedAt + batchMs - realClock.now());
    this.#timer = realClock.after(wait, () => this.#flush());
  }

  end(): void {
    if (this.#done) return;
    this.#flush();
    this.#done = true;
    this.#response.end();
  }

  #flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#flushedAt = realClock.now();
    if (this.#pending.length === 0 || this.#done) return;
    const lines = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#response.write(lines.length === 1 ? (lines[0] as Buffer) : Buffer.concat(lines));
  }

  #cutOff(): void {
    this.#done = true;
    this.#response.destroy();
  }
}
