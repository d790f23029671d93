import type { Clock, Timer } from './clock.ts';

interface Pending {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Time that moves only when told to. What is due at the same moment happens in the order it was asked for. */
export class VirtualClock implements Clock {
  #now: number;
  #order = 0;
  readonly #pending = new Set<Pending>();

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  after(delayMs: number, callback: () => void): Timer {
    this.#order += 1;
    const pending: Pending = { due: this.#now + Math.max(0, delayMs), order: this.#order, callback };
    this.#pending.add(pending);
    return { cancel: () => this.#pending.delete(pending) };
  }

  /** Moves time on, and lets everything that becomes due finish its work at its own moment. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#pending.delete(next);
      this.#now = next.due;
      next.callback();
      await settle();
    }
    this.#now = end;
  }

  /** Moves time on until `done`, at most `limitMs`; says whether it came to that. */
  async advanceUntil(done: () => boolean, limitMs: number, stepMs = 100): Promise<boolean> {
    const end = this.#now + limitMs;
    await settle();
    while (!done() && this.#now < end) await this.advance(Math.min(stepMs, end - this.#now));
    return done();
  }

  #next(end: number): Pending | undefined {
    let first: Pending | undefined;
    for (const pending of this.#pending) {
      if (pending.due > end) continue;
      if (
        first === undefined ||
        pending.due < first.due ||
        (pending.due === first.due && pending.order < first.order)
      ) {
        first = pending;
      }
    }
    return first;
  }
}

/** Lets promise chains run dry. The event loop turns twice, because a chain may hop over one turn of it. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
