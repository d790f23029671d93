import type { ServerResponse } from 'node:http';
import { realClock } from '../../time/clock.ts';

/** So much is handed to the network at a time, and no more until the reader has taken it. */
const chunkBytes = 256 * 1024;

/** For taking one chunk. The network's time is real, also where the cluster's is not. */
const maxStalledMs = 60_000;

/**
 * Writes only as fast as the reader takes it: what a slow reader costs is one chunk, however long the answer is. `before`
 * is asked before each chunk. Resolves early when the reader is gone.
 */
export async function writeChunks(
  response: ServerResponse,
  parts: Iterable<Buffer> | AsyncIterable<Buffer>,
  before?: () => Promise<void>,
): Promise<void> {
  const chunk = new Chunk();
  // Not one loop for both: waiting for what is there already costs more than writing it.
  if (Symbol.iterator in parts) {
    for (const part of parts) {
      if (chunk.add(part) && !(await put(response, chunk.take(), before))) return;
    }
  } else {
    for await (const part of parts) {
      if (chunk.add(part) && !(await put(response, chunk.take(), before))) return;
    }
  }
  await put(response, chunk.take(), before);
}

class Chunk {
  #parts: Buffer[] = [];
  #size = 0;

  /** True when there is enough to be written. */
  add(part: Buffer): boolean {
    this.#parts.push(part);
    this.#size += part.length;
    return this.#size >= chunkBytes;
  }

  take(): readonly Buffer[] {
    const parts = this.#parts;
    this.#parts = [];
    this.#size = 0;
    return parts;
  }
}

async function put(response: ServerResponse, chunk: readonly Buffer[], before?: () => Promise<void>): Promise<boolean> {
  if (chunk.length === 0) return true;
  if (before) await before();
  if (response.destroyed) return false;
  if (!response.write(joined(chunk))) await drained(response);
  return !response.destroyed;
}

export function joined(parts: readonly Buffer[]): Buffer {
  if (parts.length === 1) return parts[0] as Buffer;
  if (!isSame(parts, last.parts)) last = { parts, bytes: Buffer.concat(parts) };
  return last.bytes;
}

/** Hundreds of watchers are told the same one after the other. */
let last: { readonly parts: readonly Buffer[]; readonly bytes: Buffer } = { parts: [], bytes: Buffer.alloc(0) };

function isSame(left: readonly Buffer[], right: readonly Buffer[]): boolean {
  return left.length === right.length && left.every((part, index) => part === right[index]);
}

/** Resolves when the reader has taken what was written, or is gone; one that takes nothing for long is sent away. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const tooLate = realClock.after(maxStalledMs, () => response.destroy());
    const over = (): void => {
      tooLate.cancel();
      response.off('drain', over);
      response.off('close', over);
      resolve();
    };
    response.on('drain', over);
    response.on('close', over);
  });
}

/** One large buffer as parts of the size that is written at a time. */
export function* sliced(buffer: Buffer): Iterable<Buffer> {
  for (let at = 0; at < buffer.length; at += chunkBytes) yield buffer.subarray(at, at + chunkBytes);
}

/** What fits into one chunk is not worth waiting for. */
export function isLarge(bytes: number): boolean {
  return bytes > chunkBytes;
}
