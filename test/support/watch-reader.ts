import type { IncomingMessage } from 'node:http';
import type { Body, WatchEvent } from './kube-http.ts';

/** The events of one watch, in order. A test that waits for one that never comes fails with what came instead. */
export class WatchReader {
  readonly #response: IncomingMessage;
  readonly #events: WatchEvent[] = [];
  readonly #waiting: (() => void)[] = [];
  #text = '';
  #ended = false;

  constructor(response: IncomingMessage) {
    this.#response = response;
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#add(text));
    response.on('error', () => this.#end());
    response.on('close', () => this.#end());
  }

  get code(): number {
    return this.#response.statusCode ?? 0;
  }

  /** The next event; undefined when the stream is over. */
  async next(withinMs = 10_000): Promise<WatchEvent | undefined> {
    const deadline = performance.now() + withinMs;
    while (this.#events.length === 0 && !this.#ended) await this.#more(deadline);
    return this.#events.shift();
  }

  async take(count: number): Promise<WatchEvent[]> {
    const taken: WatchEvent[] = [];
    while (taken.length < count) {
      const event = await this.next();
      if (!event) throw new Error(`the watch ended after ${taken.length} of ${count} events`);
      taken.push(event);
    }
    return taken;
  }

  /** Everything up to and including the first event that is wanted. */
  async until(wanted: (event: WatchEvent) => boolean, eachWithinMs?: number): Promise<WatchEvent[]> {
    const taken: WatchEvent[] = [];
    for (;;) {
      const event = await this.next(eachWithinMs);
      if (!event) throw new Error(`the watch ended; it had said ${JSON.stringify(taken.map(inShort))}`);
      taken.push(event);
      if (wanted(event)) return taken;
    }
  }

  async rest(): Promise<WatchEvent[]> {
    const taken: WatchEvent[] = [];
    for (let event = await this.next(); event; event = await this.next()) taken.push(event);
    return taken;
  }

  close(): void {
    this.#response.destroy();
  }

  #more(deadline: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error('no event came in time')),
        Math.max(0, deadline - performance.now()),
      );
      this.#waiting.push(() => {
        clearTimeout(late);
        resolve();
      });
    });
  }

  #add(text: string): void {
    const lines = (this.#text + text).split('\n');
    this.#text = lines.pop() ?? '';
    for (const line of lines) if (line !== '') this.#events.push(JSON.parse(line) as { type: string; object: Body });
    this.#wake();
  }

  #end(): void {
    this.#ended = true;
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

/** `ADDED name`, `BOOKMARK`, ... */
export function inShort({ type, object }: WatchEvent): string {
  const name = object.metadata?.name;
  return name ? `${type} ${name}` : type;
}
