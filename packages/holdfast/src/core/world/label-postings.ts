import type { StringMap } from '@holdfast/base/meta';
import { labelOf } from '../label.ts';
import type { Anchor } from './selector-index.ts';
import { obtain } from './selector-index.ts';

interface Labelled {
  readonly labels: StringMap;
}

/**
 * The way back: which pods may a selector match. A key is indexed when the first selector is filed under it, with one pass
 * over the namespace; from then on it is kept, and a new budget looks only at the pods that carry its value.
 */
export class LabelPostings<T extends Labelled> {
  readonly #byKey = new Map<string, Map<string, Set<T>>>();
  readonly #all: () => Iterable<T>;

  constructor(all: () => Iterable<T>) {
    this.#all = all;
  }

  add(item: T): void {
    for (const [key, values] of this.#byKey) {
      const value = labelOf(item.labels, key);
      if (value !== undefined) obtain(values, value, () => new Set<T>()).add(item);
    }
  }

  remove(item: T): void {
    for (const [key, values] of this.#byKey) {
      const value = labelOf(item.labels, key);
      if (value === undefined) continue;
      const set = values.get(value);
      set?.delete(item);
      if (set?.size === 0) values.delete(value);
    }
  }

  candidates(anchor: Anchor): Iterable<T> {
    if (anchor.kind === 'all') return this.#all();
    const values = this.#valuesOf(anchor.key);
    if (anchor.kind === 'key') return [...values.values()].flatMap((set) => [...set]);
    return [...new Set(anchor.values)].flatMap((value) => [...(values.get(value) ?? [])]);
  }

  #valuesOf(key: string): Map<string, Set<T>> {
    return obtain(this.#byKey, key, () => {
      const values = new Map<string, Set<T>>();
      for (const item of this.#all()) {
        const value = labelOf(item.labels, key);
        if (value !== undefined) obtain(values, value, () => new Set<T>()).add(item);
      }
      return values;
    });
  }
}
