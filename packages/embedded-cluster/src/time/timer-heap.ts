/** What is due, the earliest first; what is due at the same moment in the order it was asked for. */

export interface DueTimer {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
  /** It was cancelled; it is dropped when its turn comes. */
  cancelled: boolean;
}

/** A binary heap. A cancelled timer stays until it comes up: taking it out from the middle would cost a search. */
export class TimerHeap {
  readonly #timers: DueTimer[] = [];

  add(timer: DueTimer): void {
    const timers = this.#timers;
    timers.push(timer);
    let at = timers.length - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(timer, this.#at(parent))) break;
      timers[at] = this.#at(parent);
      at = parent;
    }
    timers[at] = timer;
  }

  /** The next one that was not cancelled. */
  first(): DueTimer | undefined {
    while (this.#timers[0]?.cancelled === true) this.#removeFirst();
    return this.#timers[0];
  }

  takeFirst(): DueTimer | undefined {
    const first = this.first();
    if (first !== undefined) this.#removeFirst();
    return first;
  }

  #at(index: number): DueTimer {
    // Safe: only called for places within the heap.
    return this.#timers[index] as DueTimer;
  }

  #removeFirst(): void {
    const timers = this.#timers;
    const last = timers.pop();
    if (last === undefined || timers.length === 0) return;
    let at = 0;
    for (;;) {
      const child = this.#smallerChild(at);
      if (child === undefined || isBefore(last, this.#at(child))) break;
      timers[at] = this.#at(child);
      at = child;
    }
    timers[at] = last;
  }

  #smallerChild(at: number): number | undefined {
    const left = 2 * at + 1;
    if (left >= this.#timers.length) return undefined;
    const right = left + 1;
    return right < this.#timers.length && isBefore(this.#at(right), this.#at(left)) ? right : left;
  }
}

function isBefore(left: DueTimer, right: DueTimer): boolean {
  return left.due < right.due || (left.due === right.due && left.order < right.order);
}
