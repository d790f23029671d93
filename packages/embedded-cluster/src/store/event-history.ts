import type { StoreEvent } from './store.ts';

/** The last events of a collection, in a ring. It knows from which revision on it is complete. */
export class EventHistory {
  readonly #limit: number;
  readonly #ring: StoreEvent[] = [];
  #oldest = 0;
  #completeSince: number;

  constructor(limit: number, completeSince: number) {
    this.#limit = limit;
    this.#completeSince = completeSince;
  }

  add(event: StoreEvent): void {
    if (this.#limit === 0) {
      this.#completeSince = event.revision;
    } else if (this.#ring.length < this.#limit) {
      this.#ring.push(event);
    } else {
      this.#completeSince = this.#at(0).revision;
      this.#ring[this.#oldest] = event;
      this.#oldest = (this.#oldest + 1) % this.#limit;
    }
  }

  /** Every event above this revision is still here. */
  covers(since: number): boolean {
    return since >= this.#completeSince;
  }

  /** Events above this revision, oldest first. */
  after(since: number): StoreEvent[] {
    let low = 0;
    let high = this.#ring.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#at(middle).revision <= since) low = middle + 1;
      else high = middle;
    }
    const events: StoreEvent[] = [];
    for (let index = low; index < this.#ring.length; index += 1) events.push(this.#at(index));
    return events;
  }

  #at(index: number): StoreEvent {
    return this.#ring[(this.#oldest + index) % this.#ring.length] as StoreEvent;
  }
}
