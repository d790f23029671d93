import type { StoreUnavailable } from '../store.ts';

interface Waiter {
  readonly revision: number;
  resolve(): void;
  reject(error: StoreUnavailable): void;
}

/** Up to which revision everything is on disk, and who waits for more. */
export class Durability {
  #revision: number;
  #failure: StoreUnavailable | undefined;
  #waiters: Waiter[] = [];

  constructor(revision: number) {
    this.#revision = revision;
  }

  get failure(): StoreUnavailable | undefined {
    return this.#failure;
  }

  wait(revision: number): Promise<void> {
    if (revision <= this.#revision) return Promise.resolve();
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => this.#waiters.push({ revision, resolve, reject }));
  }

  reached(revision: number): void {
    this.#revision = Math.max(this.#revision, revision);
    const waiters = this.#waiters;
    this.#waiters = waiters.filter((waiter) => waiter.revision > this.#revision);
    for (const waiter of waiters) if (waiter.revision <= this.#revision) waiter.resolve();
  }

  /** For good: what could not be written once is never said to be there. */
  fail(failure: StoreUnavailable): void {
    this.#failure ??= failure;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.reject(failure);
  }
}
