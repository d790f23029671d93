import type { Stored } from './store.ts';

/**
 * What a collection holds, in the order of keys. An array that was handed out is never changed again: the next write
 * copies it first, so a list costs nothing and stays as it was.
 */
export class SortedItems {
  #items: Stored[];
  #shared = false;
  readonly #namespaces = new Map<string, readonly Stored[]>();
  readonly #freeze: boolean;

  constructor(items: Stored[], freeze: boolean) {
    this.#items = items;
    this.#freeze = freeze;
  }

  all(): readonly Stored[] {
    this.#shared = true;
    if (this.#freeze) Object.freeze(this.#items);
    return this.#items;
  }

  inNamespace(namespace: string): readonly Stored[] {
    const known = this.#namespaces.get(namespace);
    if (known !== undefined) return known;
    const range = namespaceRange(this.#items, namespace);
    const items = this.#items.slice(range.from, range.to);
    if (this.#freeze) Object.freeze(items);
    // A namespace that holds nothing is not remembered: anybody may ask for any number of those.
    if (items.length > 0) this.#namespaces.set(namespace, items);
    return items;
  }

  put(stored: Stored): void {
    const index = firstAtOrAfter(this.#items, stored.key);
    const replaces = this.#items[index]?.key === stored.key;
    this.#own(stored.key).splice(index, replaces ? 1 : 0, stored);
  }

  remove(key: string): void {
    const index = firstAtOrAfter(this.#items, key);
    if (this.#items[index]?.key === key) this.#own(key).splice(index, 1);
  }

  #own(changedKey: string): Stored[] {
    const slash = changedKey.indexOf('/');
    if (slash >= 0) this.#namespaces.delete(changedKey.slice(0, slash));
    if (this.#shared) this.#items = this.#items.slice();
    this.#shared = false;
    return this.#items;
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
