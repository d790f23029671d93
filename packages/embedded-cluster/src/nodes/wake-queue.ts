import type { Clock, Timer } from '../time/clock.ts';

interface Entry {
  readonly dueMs: number;
  readonly order: number;
  readonly key: string;
}

/** Calls back for keys when their time has come: one timer for all of them, at most one time for each. */
export class WakeQueue {
  readonly #clock: Clock;
  readonly #wake: (key: string) => void;
  /** A heap, the earliest first; entries whose key got another time since are passed over. */
  readonly #heap: Entry[] = [];
  readonly #current = new Map<string, Entry>();
  #timer: { readonly timer: Timer; readonly dueMs: number } | undefined;
  #order = 0;

  constructor(clock: Clock, wake: (key: string) => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  /** Times are whole milliseconds; a fraction is waited for. */
  set(key: string, timeMs: number): void {
    const dueMs = Math.ceil(timeMs);
    if (this.#current.get(key)?.dueMs === dueMs) return;
    this.#order += 1;
    const entry = { dueMs, order: this.#order, key };
    this.#current.set(key, entry);
    this.#push(entry);
    this.#arm();
  }

  delete(key: string): void {
    this.#current.delete(key);
  }

  clear(): void {
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    this.#heap.length = 0;
    this.#current.clear();
  }

  #arm(): void {
    const next = this.#heap[0];
    if (!next || (this.#timer && this.#timer.dueMs <= next.dueMs)) return;
    this.#timer?.timer.cancel();
    const timer = this.#clock.after(next.dueMs - this.#clock.now(), () => this.#fire());
    this.#timer = { timer, dueMs: next.dueMs };
  }

  #fire(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.now();
    for (let next = this.#heap[0]; next && next.dueMs <= nowMs; next = this.#heap[0]) {
      this.#pop();
      if (this.#current.get(next.key) !== next) continue;
      this.#current.delete(next.key);
      this.#wake(next.key);
    }
    this.#arm();
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as Entry;
      if (isBefore(above, entry)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (let child = 1; child < heap.length; child = 2 * index + 1) {
      const right = heap[child + 1];
      const smaller = right && isBefore(right, heap[child] as Entry) ? child + 1 : child;
      if (isBefore(last, heap[smaller] as Entry)) break;
      heap[index] = heap[smaller] as Entry;
      index = smaller;
    }
    heap[index] = last;
  }
}

function isBefore(left: Entry, right: Entry): boolean {
  return left.dueMs < right.dueMs || (left.dueMs === right.dueMs && left.order < right.order);
}
