import type { Clock, Timer } from './clock.ts';
import { type DueTimer, TimerHeap } from './timer-heap.ts';

/** Time that moves only when told to, in whole milliseconds. What is due at the same moment happens in the order it was asked for. */
export class VirtualClock implements Clock {
  #now: number;
  #order = 0;
  readonly #timers = new TimerHeap();
  readonly #settle: Settle;

  constructor(startMs = Date.UTC(2026, 0, 1), settle: Settle = twoTurns) {
    this.#now = startMs;
    this.#settle = settle;
  }

  now(): number {
    return this.#now;
  }

  /** This clock is never set, so the time of day serves as well. */
  monotonic(): number {
    return this.#now;
  }

  after(delayMs: number, callback: () => void): Timer {
    this.#order += 1;
    const timer: DueTimer = {
      due: Math.ceil(this.#now + Math.max(0, delayMs)),
      order: this.#order,
      callback,
      cancelled: false,
    };
    this.#timers.add(timer);
    return {
      cancel() {
        timer.cancelled = true;
      },
    };
  }

  /** Resolves when what happens now has happened. */
  settled(): Promise<void> {
    return this.#settle();
  }

  /** When something happens next; undefined: never, by itself. */
  nextDue(): number | undefined {
    return this.#timers.first()?.due;
  }

  /** Lets the next thing that is due by `end` happen, at its own moment, and come to rest. False: nothing is. */
  async step(end: number): Promise<boolean> {
    const next = this.#timers.first();
    if (next === undefined || next.due > end) return false;
    this.#timers.takeFirst();
    this.#now = next.due;
    next.callback();
    await this.#settle();
    return true;
  }

  /** Moves time on, and lets everything that becomes due finish its work at its own moment. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.#settle();
    while (await this.step(end));
    this.#now = end;
  }

  /** Moves time on until `done`, at most `limitMs`; says whether it came to that. */
  async advanceUntil(done: () => boolean, limitMs: number, stepMs = 100): Promise<boolean> {
    const end = this.#now + limitMs;
    await this.#settle();
    while (!done() && this.#now < end) await this.advance(Math.min(stepMs, end - this.#now));
    return done();
  }
}

/** How to wait until what happens at a moment has happened. */
export type Settle = () => Promise<void>;

/** Lets promise chains run dry. The event loop turns twice, because a chain may hop over one turn of it. */
const twoTurns: Settle = async () => {
  for (let count = 0; count < 2; count += 1) await turn();
};

/**
 * Resolves when nothing in this process waits for a turn of the event loop any more: before each turn all promises and ticks have run
 * dry, so that what is still under way then waits for a turn of its own. (What waits for a socket or a file is not seen, and has no
 * place in virtual time.) Only for a process with one such loop: two would wait for each other.
 */
export const untilIdle: Settle = async () => {
  do await turn();
  while (process.getActiveResourcesInfo().includes('Immediate'));
};

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
