import type { Random } from './random.ts';

export interface BackoffLimits {
  readonly baseMs: number;
  readonly capMs: number;
}

/**
 * Decorrelated jitter: each delay is chosen between the base and three times the one before. Clients that failed together do not
 * come back together, and there is no last attempt.
 */
export class Backoff {
  readonly #limits: BackoffLimits;
  readonly #random: Random;
  #previous: number;

  constructor(limits: BackoffLimits, random: Random) {
    this.#limits = limits;
    this.#random = random;
    this.#previous = limits.baseMs;
  }

  next(): number {
    this.#previous = nextDelay(this.#previous, this.#limits, this.#random());
    return this.#previous;
  }

  reset(): void {
    this.#previous = this.#limits.baseMs;
  }
}

export function nextDelay(previousMs: number, { baseMs, capMs }: BackoffLimits, chance: number): number {
  return Math.min(capMs, baseMs + chance * (previousMs * 3 - baseMs));
}
