import { readFile } from 'node:fs/promises';
import type { Clock } from '../time/clock.ts';
import type { TextSource } from './access.ts';

/** Tokens of service accounts are rotated long before they end; a minute late is early enough. */
const maxAgeMs = 60_000;

/** A text that may be a file which others rewrite. */
export class FileText {
  readonly #source: TextSource;
  readonly #clock: Clock;
  #text: string | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(source: TextSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  get isFile(): boolean {
    return this.#source.kind === 'file';
  }

  async read(): Promise<string> {
    if (this.#source.kind === 'inline') return this.#source.text;
    const now = this.#clock.monotonic();
    if (this.#text !== undefined && now - this.#readAt < maxAgeMs) return this.#text;
    try {
      this.#text = await readFile(this.#source.path, 'utf8');
      this.#readAt = now;
    } catch (error) {
      // A file is missing for a moment while it is replaced. What was read before may still be good.
      if (this.#text === undefined) throw error;
    }
    return this.#text;
  }

  /** Read again when it is asked for next. */
  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }
}
