import type { Failure } from '../outcome/failure.ts';
import type { Clock, Timer } from '../time/clock.ts';
import { DeadConnection, type ResponseBody } from '../transport/wire.ts';
import { LineSplitter } from './line-splitter.ts';
import { parseWatchEvent, type WatchEvent } from './watch-events.ts';

/** How a watch ended. None of them is the end of watching. */
export type WatchEnd =
  /** The server had enough, between two events. */
  | { readonly kind: 'closed' }
  /** Nothing came for too long, not even a bookmark. */
  | { readonly kind: 'stalled'; readonly message: string }
  /** The server could not be reached on its connection, which nothing had closed. */
  | { readonly kind: 'dead'; readonly message: string }
  | { readonly kind: 'garbled'; readonly message: string }
  | { readonly kind: 'broken'; readonly message: string }
  /** The server said why. */
  | { readonly kind: 'failed'; readonly failure: Failure };

export interface WatchReading {
  readonly clock: Clock;
  /** Longest silence; asked again after each chunk, because it may depend on what came, and on when (`since`) something last did. */
  readonly stallMs: (since: number) => number;
  readonly maxLineBytes: number;
  /** What it throws counts as a garbled line. 'enough' ends the watch. */
  readonly onEvent: (event: Exclude<WatchEvent, { type: 'ERROR' }>) => 'enough' | undefined;
}

/** Reads a watch to its end, whatever end that is. Never throws. */
export async function readWatch(body: ResponseBody, reading: WatchReading): Promise<WatchEnd> {
  const silence = new Silence(body, reading);
  const splitter = new LineSplitter(reading.maxLineBytes);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      const end = readChunk(splitter, chunk, reading);
      if (end !== undefined) return end;
      silence.broken();
    }
    if (splitter.isBetweenLines) return { kind: 'closed' };
    return { kind: 'broken', message: 'the watch ended within an event' };
  } catch (error) {
    if (silence.tooLong) return { kind: 'stalled', message: `no event for ${Math.round(silence.lastedMs)} ms` };
    if (error instanceof DeadConnection) return { kind: 'dead', message: error.message };
    return { kind: 'broken', message: error instanceof Error ? error.message : String(error) };
  } finally {
    silence.end();
    body.destroy();
  }
}

function readChunk(splitter: LineSplitter, chunk: Buffer, { onEvent }: WatchReading): WatchEnd | undefined {
  try {
    for (const line of splitter.push(chunk)) {
      const event = parseWatchEvent(line);
      if (event.type === 'ERROR') return { kind: 'failed', failure: event.failure };
      if (onEvent(event) === 'enough') return { kind: 'closed' };
    }
    return undefined;
  } catch (error) {
    return { kind: 'garbled', message: error instanceof Error ? error.message : String(error) };
  }
}

/** Ends a body that has been silent for too long. One timer, moved on only when it fires: events come by the thousand. */
class Silence {
  readonly #body: ResponseBody;
  readonly #reading: WatchReading;
  #since: number;
  #due = Number.POSITIVE_INFINITY;
  #timer: Timer | undefined;
  tooLong = false;
  lastedMs = 0;

  constructor(body: ResponseBody, reading: WatchReading) {
    this.#body = body;
    this.#reading = reading;
    this.#since = reading.clock.monotonic();
    this.#look();
  }

  /** Something came and was read, by which the limit may have become shorter. */
  broken(): void {
    this.#since = this.#reading.clock.monotonic();
    if (this.#since + this.#reading.stallMs(this.#since) < this.#due) this.#look();
  }

  end(): void {
    this.#timer?.cancel();
  }

  #look(): void {
    const { clock, stallMs } = this.#reading;
    this.#timer?.cancel();
    this.lastedMs = clock.monotonic() - this.#since;
    const left = stallMs(this.#since) - this.lastedMs;
    if (left > 0) {
      this.#due = clock.monotonic() + left;
      this.#timer = clock.after(left, () => this.#look());
      return;
    }
    this.tooLong = true;
    this.#body.destroy(new Error('stalled'));
  }
}
