import { EventHistory } from './event-history.ts';
import { readPage } from './page.ts';
import { SortedItems } from './sorted-items.ts';
import type { Page, PageQuery, Stored, StoreEvent } from './store.ts';

/** The objects of one resource, their order, and what happened to them of late. */
export class Collection {
  readonly #byKey = new Map<string, Stored>();
  readonly #sorted: SortedItems;
  readonly #history: EventHistory;

  constructor(options: { history: number; freeze: boolean; startRevision: number; items: readonly Stored[] }) {
    for (const stored of options.items) this.#byKey.set(stored.key, stored);
    const sorted = [...this.#byKey.values()].sort((left, right) => (left.key < right.key ? -1 : 1));
    this.#sorted = new SortedItems(sorted, options.freeze);
    this.#history = new EventHistory(options.history, options.startRevision);
  }

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): Stored | undefined {
    return this.#byKey.get(key);
  }

  list(namespace: string | undefined): readonly Stored[] {
    return namespace === undefined ? this.#sorted.all() : this.#sorted.inNamespace(namespace);
  }

  page(query: PageQuery): Page | 'expired' {
    return readPage(this.#sorted.all(), this.#history, query);
  }

  /** The events above a revision, or nothing where some of them are gone. */
  eventsAfter(since: number): StoreEvent[] | undefined {
    return this.#history.covers(since) ? this.#history.after(since) : undefined;
  }

  apply(event: StoreEvent): void {
    if (event.type === 'DELETED') {
      this.#byKey.delete(event.key);
      this.#sorted.remove(event.key);
    } else {
      this.#byKey.set(event.key, event.stored);
      this.#sorted.put(event.stored);
    }
    this.#history.add(event);
  }
}
