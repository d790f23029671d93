import { matches, type Requirement, type Selector } from '@holdfast/base/labels/label-selector';
import type { StringMap } from '@holdfast/base/meta';

/** Where a selector waits for pods: at one of its values, at one of its keys, or everywhere. */
export type Anchor =
  | { readonly kind: 'values'; readonly key: string; readonly values: readonly string[] }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'all' };

interface Entry<T> {
  readonly selector: Selector;
  readonly anchor: Anchor;
  readonly item: T;
}

/**
 * Finds the selectors that match a set of labels without trying them all. Each selector is filed under its rarest
 * requirement, so ten thousand budgets that share `part-of: shop` and differ in `app` are still found one by one.
 */
export class SelectorIndex<T> {
  readonly #entries = new Map<T, Entry<T>>();
  readonly #byValue = new Map<string, Map<string, Set<Entry<T>>>>();
  readonly #byKey = new Map<string, Set<Entry<T>>>();
  readonly #everywhere = new Set<Entry<T>>();
  /** How many selectors name a key and value, whether filed there or not. */
  readonly #frequency = new Map<string, number>();

  add(item: T, selector: Selector): Anchor {
    const anchor = this.#chooseAnchor(selector);
    const entry = { selector, anchor, item };
    this.#entries.set(item, entry);
    this.#countValues(selector, 1);
    for (const bucket of this.#bucketsOf(anchor)) bucket.add(entry);
    return anchor;
  }

  remove(item: T): void {
    const entry = this.#entries.get(item);
    if (entry === undefined) return;
    this.#entries.delete(item);
    this.#countValues(entry.selector, -1);
    for (const bucket of this.#bucketsOf(entry.anchor)) bucket.delete(entry);
    this.#dropEmpty(entry.anchor);
  }

  /** Undefined: it is not here. */
  selectorOf(item: T): Selector | undefined {
    return this.#entries.get(item)?.selector;
  }

  /** The items whose selectors match. */
  find(labels: StringMap): T[] {
    const found: T[] = [];
    for (const entry of this.#everywhere) take(entry, labels, found);
    for (const key in labels) {
      const values = this.#byValue.get(key)?.get(labels[key] as string);
      if (values !== undefined) for (const entry of values) take(entry, labels, found);
      const keys = this.#byKey.get(key);
      if (keys !== undefined) for (const entry of keys) take(entry, labels, found);
    }
    return found;
  }

  #chooseAnchor(selector: Selector): Anchor {
    let best: Anchor = { kind: 'all' };
    let cost = Number.POSITIVE_INFINITY;
    for (const requirement of selector) {
      const anchor = anchorOf(requirement);
      const price = anchor === undefined ? Number.POSITIVE_INFINITY : this.#price(anchor);
      if (anchor === undefined || price >= cost) continue;
      best = anchor;
      cost = price;
    }
    return best;
  }

  /** A key alone is a poor anchor: it is taken only when there is no value to hold on to. */
  #price(anchor: Anchor): number {
    if (anchor.kind !== 'values') return Number.MAX_SAFE_INTEGER;
    return anchor.values.reduce((sum, value) => sum + 1 + (this.#frequency.get(pair(anchor.key, value)) ?? 0), 0);
  }

  #countValues(selector: Selector, by: 1 | -1): void {
    for (const requirement of selector) {
      if (requirement.op !== 'In') continue;
      for (const value of requirement.values) {
        const key = pair(requirement.key, value);
        const count = (this.#frequency.get(key) ?? 0) + by;
        if (count === 0) this.#frequency.delete(key);
        else this.#frequency.set(key, count);
      }
    }
  }

  #bucketsOf(anchor: Anchor): readonly Set<Entry<T>>[] {
    if (anchor.kind === 'all') return [this.#everywhere];
    if (anchor.kind === 'key') return [obtain(this.#byKey, anchor.key, () => new Set<Entry<T>>())];
    const byValue = obtain(this.#byValue, anchor.key, () => new Map<string, Set<Entry<T>>>());
    return [...new Set(anchor.values)].map((value) => obtain(byValue, value, () => new Set<Entry<T>>()));
  }

  #dropEmpty(anchor: Anchor): void {
    if (anchor.kind === 'key' && this.#byKey.get(anchor.key)?.size === 0) this.#byKey.delete(anchor.key);
    if (anchor.kind !== 'values') return;
    const byValue = this.#byValue.get(anchor.key);
    for (const value of anchor.values) if (byValue?.get(value)?.size === 0) byValue.delete(value);
    if (byValue?.size === 0) this.#byValue.delete(anchor.key);
  }
}

function take<T>(entry: Entry<T>, labels: StringMap, found: T[]): void {
  if (matches(entry.selector, labels)) found.push(entry.item);
}

function anchorOf(requirement: Requirement): Anchor | undefined {
  if (requirement.op === 'In') return { kind: 'values', key: requirement.key, values: requirement.values };
  if (requirement.op === 'Exists') return { kind: 'key', key: requirement.key };
  return undefined;
}

function pair(key: string, value: string): string {
  return `${key}=${value}`;
}

export function obtain<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const present = map.get(key);
  if (present !== undefined) return present;
  const created = create();
  map.set(key, created);
  return created;
}
