/** Something to be written: one entry, or many. */
export interface Batch {
  readonly chunks: readonly Buffer[];
  readonly bytes: number;
  /** Of its last write; 0 where it holds none. */
  readonly revision: number;
  /** The highest that it raises the ceiling to; 0 where it does not. */
  readonly ceiling: number;
}

/** What waits to be written, in order. */
export class PendingEntries {
  #entries: Batch[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get length(): number {
    return this.#entries.length;
  }

  add(chunks: readonly Buffer[], says: { readonly revision?: number; readonly ceiling?: number }): void {
    const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
    this.#entries.push({ chunks, bytes, revision: says.revision ?? 0, ceiling: says.ceiling ?? 0 });
    this.#bytes += bytes;
  }

  /** The first entries up to this many bytes, but at least one. */
  take(maxBytes: number): Batch {
    let count = 0;
    let bytes = 0;
    for (const entry of this.#entries) {
      if (count > 0 && bytes + entry.bytes > maxBytes) break;
      bytes += entry.bytes;
      count += 1;
    }
    const taken = this.#entries.slice(0, count);
    this.#entries = this.#entries.slice(count);
    this.#bytes -= bytes;
    return {
      chunks: taken.flatMap(({ chunks }) => chunks),
      bytes,
      revision: taken.reduce((highest, { revision }) => Math.max(highest, revision), 0),
      ceiling: taken.reduce((highest, { ceiling }) => Math.max(highest, ceiling), 0),
    };
  }

  clear(): void {
    this.#entries = [];
    this.#bytes = 0;
  }
}
