import type { Clock, Timer } from '../../../src/kube/time/clock.ts';

interface Waiting {
  readonly dueMs: number;
  readonly end: () => void;
}

/** Real time, with months left out where a test says so. Timers that fall into them fire. */
export class JumpClock implements Clock {
  readonly #waiting = new Set<Waiting>();
  #skippedMs = 0;
  #setMs = 0;

  /** @param startMs how far from real time it starts */
  constructor(startMs = 0) {
    this.#setMs = startMs;
  }

  now(): number {
    return Date.now() + this.#skippedMs + this.#setMs;
  }

  monotonic(): number {
    return performance.now() + this.#skippedMs;
  }

  after(delayMs: number, callback: () => void): Timer {
    const waiting: Waiting = {
      dueMs: this.monotonic() + delayMs,
      end: () => {
        if (this.#cancel(waiting, handle)) callback();
      },
    };
    const handle = setTimeout(waiting.end, Math.min(Math.max(0, delayMs), 2_000_000_000));
    this.#waiting.add(waiting);
    return { cancel: () => void this.#cancel(waiting, handle) };
  }

  jump(ms: number): void {
    this.#skippedMs += ms;
    const due = [...this.#waiting].filter(({ dueMs }) => dueMs <= this.monotonic());
    for (const { end } of due.sort((left, right) => left.dueMs - right.dueMs)) end();
  }

  /** The wall clock is set. */
  set(ms: number): void {
    this.#setMs += ms;
  }

  #cancel(waiting: Waiting, handle: NodeJS.Timeout): boolean {
    clearTimeout(handle);
    return this.#waiting.delete(waiting);
  }
}
