import type { Stored } from './store.ts';

/** Long enough that there are few chunks, short enough that making room in one costs little. */
const maxChunk = 512;

/**
 * What a collection holds, in the order of keys, in chunks: a write moves the rest of one chunk, not of the collection.
 * Lists are put together when they are asked for and kept until the next write; they are never changed.
 */
export class SortedItems {
  readonly #chunks: Stored[][] = [];
  readonly #namespaces = new Map<string, readonly Stored[]>();
  readonly #freeze: boolean;
  #all: readonly Stored[] | undefined;

  constructor(sorted: readonly Stored[], freeze: boolean) {
    for (let at = 0; at < sorted.length; at += maxChunk) this.#chunks.push(sorted.slice(at, at + maxChunk));
    this.#freeze = freeze;
  }

  all(): readonly Stored[] {
    this.#all ??= this.#finish(([] as Stored[]).concat(...this.#chunks));
    return this.#all;
  }

  inNamespace(namespace: string): readonly Stored[] {
    const known = this.#namespaces.get(namespace);
    if (known !== undefined) return known;
    const items = this.#finish(this.#collect(namespace));
    // A namespace that holds nothing is not remembered: a client may ask for any number of those.
    if (items.length > 0) this.#namespaces.set(namespace, items);
    return items;
  }

  put(stored: Stored): void {
    this.#forget(stored.key);
    const at = this.#chunkOf(stored.key);
    const chunk = this.#chunks[at];
    if (chunk === undefined) {
      this.#chunks.push([stored]);
      return;
    }
    const index = firstAtOrAfter(chunk, stored.key);
    if (chunk[index]?.key === stored.key) chunk[index] = stored;
    else chunk.splice(index, 0, stored);
    if (chunk.length > maxChunk) this.#chunks.splice(at + 1, 0, chunk.splice(maxChunk / 2));
  }

  remove(key: string): void {
    this.#forget(key);
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at] ?? [];
    const index = firstAtOrAfter(chunk, key);
    if (chunk[index]?.key !== key) return;
    chunk.splice(index, 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
  }

  /** The last chunk that begins at or before this key: where it is, or where it would have to be. */
  #chunkOf(key: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const first = this.#chunks[middle]?.[0];
      if (first !== undefined && first.key <= key) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  #collect(namespace: string): Stored[] {
    const parts: Stored[][] = [];
    for (let at = this.#chunkOf(`${namespace}/`); at < this.#chunks.length; at += 1) {
      const chunk = this.#chunks[at] ?? [];
      const { from, to } = namespaceRange(chunk, namespace);
      parts.push(chunk.slice(from, to));
      if (to < chunk.length) break;
    }
    return ([] as Stored[]).concat(...parts);
  }

  #finish(items: Stored[]): readonly Stored[] {
    return this.#freeze ? Object.freeze(items) : items;
  }

  #forget(changedKey: string): void {
    this.#all = undefined;
    const slash = changedKey.indexOf('/');
    if (slash >= 0) this.#namespaces.delete(changedKey.slice(0, slash));
  }
}

/** Index of the first item whose key is not below this one. */
export function firstAtOrAfter(items: readonly Stored[], key: string): number {
  let low = 0;
  let high = items.length;
  // Most names that are created grow, and land at the end.
  const last = items[high - 1];
  if (last === undefined || last.key < key) return high;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items[middle] as Stored).key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** `0` follows `/`: between `a/` and `a0` are exactly the keys of namespace `a`, and none of `a-b`. */
export function namespaceRange(items: readonly Stored[], namespace: string): { from: number; to: number } {
  return { from: firstAtOrAfter(items, `${namespace}/`), to: firstAtOrAfter(items, `${namespace}0`) };
}
