import type { Clock, Timer } from '../time/clock.ts';

export interface WorkqueueOptions {
  readonly clock: Clock;
  /** First delay after a failure; it doubles with each further one. */
  readonly baseMs?: number;
  readonly capMs?: number;
}

/** 5 ms to 1000 s, as controllers of Kubernetes have it. */
const defaultBaseMs = 5;
const defaultCapMs = 1_000_000;
/** Beyond it the delay is at its cap for any base. */
const maxDoublings = 40;

/**
 * Keys to look at. A key waits once however often it is added; one that is added while it is being worked on is worked on again
 * afterwards, never twice at the same time. What a worker sees is the state of now, not the event that brought the key here.
 */
export class Workqueue {
  readonly #clock: Clock;
  readonly #baseMs: number;
  readonly #capMs: number;
  /** In the order of coming. */
  readonly #ready = new Set<string>();
  readonly #working = new Set<string>();
  readonly #again = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #delayed = new Map<string, { readonly due: number; readonly timer: Timer }>();
  #takers: ((key: string | undefined) => void)[] = [];
  #closed = false;

  constructor({ clock, baseMs = defaultBaseMs, capMs = defaultCapMs }: WorkqueueOptions) {
    this.#clock = clock;
    this.#baseMs = baseMs;
    this.#capMs = capMs;
  }

  get length(): number {
    return this.#ready.size;
  }

  add(key: string): void {
    if (this.#closed) return;
    if (this.#working.has(key)) this.#again.add(key);
    else if (!this.#ready.has(key)) {
      this.#ready.add(key);
      this.#hand();
    }
  }

  /** The earliest time that was asked for counts. */
  addAfter(key: string, delayMs: number): void {
    if (this.#closed) return;
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const due = this.#clock.monotonic() + delayMs;
    const known = this.#delayed.get(key);
    if (known !== undefined && known.due <= due) return;
    known?.timer.cancel();
    const timer = this.#clock.after(delayMs, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { due, timer });
  }

  /** After a failure: later each time, until `forget`. */
  addRateLimited(key: string): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.addAfter(key, Math.min(this.#capMs, this.#baseMs * 2 ** Math.min(failures, maxDoublings)));
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The next key, which is the caller's until `done`. Undefined: the queue is closed and empty. */
  take(): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.#takers.push(resolve);
      this.#hand();
    });
  }

  done(key: string): void {
    if (!this.#working.delete(key)) return;
    if (!this.#again.delete(key)) return;
    this.#ready.add(key);
    this.#hand();
  }

  /** Nothing new comes in; what waits for its turn is still handed out, what waits for a time is not. */
  close(): void {
    this.#closed = true;
    for (const { timer } of this.#delayed.values()) timer.cancel();
    this.#delayed.clear();
    this.#hand();
  }

  #hand(): void {
    for (const key of this.#ready) {
      const taker = this.#takers.shift();
      if (taker === undefined) return;
      this.#ready.delete(key);
      this.#working.add(key);
      taker(key);
    }
    if (!this.#closed) return;
    const takers = this.#takers;
    this.#takers = [];
    for (const taker of takers) taker(undefined);
  }
}

/** What a look at a key came to. */
export type Reconciled =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly afterMs: number }
  /** Comes back later each time. */
  | { readonly kind: 'failed' };

/** Works through a queue until it is closed. Resolves when the last worker is done. */
export async function runWorkers(
  queue: Workqueue,
  count: number,
  reconcile: (key: string) => Promise<Reconciled>,
  report: (key: string, error: unknown) => void,
): Promise<void> {
  const work = async () => {
    for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
      settle(queue, key, await reconcileSafely(key, reconcile, report));
    }
  };
  await Promise.all(Array.from({ length: count }, work));
}

function settle(queue: Workqueue, key: string, result: Reconciled): void {
  if (result.kind === 'failed') queue.addRateLimited(key);
  else {
    queue.forget(key);
    if (result.kind === 'again') queue.addAfter(key, result.afterMs);
  }
  queue.done(key);
}

async function reconcileSafely(
  key: string,
  reconcile: (key: string) => Promise<Reconciled>,
  report: (key: string, error: unknown) => void,
): Promise<Reconciled> {
  try {
    return await reconcile(key);
  } catch (error) {
    report(key, error);
    return { kind: 'failed' };
  }
}
