import type { Clock, Timer } from '../time/clock.ts';

export interface RateLimit {
  /** Requests a second in the long run. */
  readonly perSecond: number;
  /** Requests that may go at once after a rest. */
  readonly burst: number;
  /** Requests under way at any moment. */
  readonly concurrent: number;
  /** Requests that may wait for a permit; more are refused at once. */
  readonly waiting: number;
}

/** Undefined: turned away. Otherwise called once, when the request is over. */
export type Permit = (() => void) | undefined;

interface Waiter {
  admit(permit: Permit): void;
}

/**
 * A token bucket and a bound on requests under way, first come first served. Each purpose has one of its own, so that a burst of
 * one kind of calls does not hold up another.
 */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #clock: Clock;
  readonly #waiters = new Set<Waiter>();
  #tokens: number;
  #filledAt: number;
  #underWay = 0;
  #timer: Timer | undefined;

  constructor(limit: RateLimit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
    this.#tokens = limit.burst;
    this.#filledAt = clock.monotonic();
  }

  /** Resolves with a permit to send the request; undefined when too many requests wait already, or the deadline has passed. */
  take(deadlineMs: number, signal?: AbortSignal): Promise<Permit> {
    if (signal?.aborted === true || this.#waiters.size >= this.#limit.waiting) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        admit: (permit) => {
          this.#waiters.delete(waiter);
          timer.cancel();
          signal?.removeEventListener('abort', leave);
          resolve(permit);
        },
      };
      const leave = () => waiter.admit(undefined);
      const timer = this.#clock.after(deadlineMs, leave);
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiters.add(waiter);
      this.#serve();
    });
  }

  #serve(): void {
    this.#refill();
    for (const waiter of this.#waiters) {
      if (this.#underWay >= this.#limit.concurrent) return;
      if (this.#tokens < 1) {
        this.#serveLater();
        return;
      }
      this.#tokens -= 1;
      this.#underWay += 1;
      waiter.admit(this.#permit());
    }
  }

  #permit(): () => void {
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.#underWay -= 1;
      this.#serve();
    };
  }

  #serveLater(): void {
    if (this.#timer !== undefined) return;
    // A millisecond more than it takes: rounding must not wake us for nothing.
    const delay = Math.ceil(((1 - this.#tokens) * 1000) / this.#limit.perSecond) + 1;
    this.#timer = this.#clock.after(delay, () => {
      this.#timer = undefined;
      this.#serve();
    });
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    const earned = ((now - this.#filledAt) * this.#limit.perSecond) / 1000;
    this.#tokens = Math.min(this.#limit.burst, this.#tokens + earned);
    this.#filledAt = now;
  }
}
