import type { DisruptionRequest } from '../../core/request.ts';
import type { Verdict } from '../../core/verdict.ts';

export interface Committed {
  readonly verdict: Verdict;
  /** The ledger has a reservation now that was written for this request. */
  readonly reserved: boolean;
}

/** One request that waits for its answer, or has stopped waiting. */
export class Entry {
  readonly request: DisruptionRequest;
  readonly answer: Promise<Committed>;
  #resolve: (committed: Committed) => void = () => {};
  #answered = false;

  constructor(request: DisruptionRequest) {
    this.request = request;
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get answered(): boolean {
    return this.#answered;
  }

  /** False: it was answered before, and nobody hears this. */
  settle(committed: Committed): boolean {
    if (this.#answered) return false;
    this.#answered = true;
    this.#resolve(committed);
    return true;
  }
}

/** The requests of one namespace that wait for the next write, in the order in which they came. */
export class Lane {
  readonly #waiting = new Set<Entry>();
  /** Somebody is about to take a batch, or writes one. */
  busy = false;

  get size(): number {
    return this.#waiting.size;
  }

  add(entry: Entry): void {
    this.#waiting.add(entry);
  }

  remove(entry: Entry): void {
    this.#waiting.delete(entry);
  }

  take(room: number): Entry[] {
    const taken: Entry[] = [];
    for (const entry of this.#waiting) {
      if (taken.length >= room) break;
      taken.push(entry);
    }
    for (const entry of taken) this.#waiting.delete(entry);
    return taken;
  }
}
