import type { Client } from '../client.ts';
import { isApiError } from '../errors.ts';
import type { Clock, Timer } from '../time/clock.ts';
import type { Random } from '../time/random.ts';
import type { View } from '../view.ts';

/** What every controller is given. It reads the view, writes through the client, and asks the clock; nothing else. */
export interface ControllerContext {
  readonly view: View;
  readonly clock: Clock;
  readonly random: Random;
  /** A client with the identity of one built-in controller, e.g. `statefulset-controller`. */
  clientFor(controller: string): Client;
  /** Where unexpected errors of a reconcile go. */
  report(controller: string, key: string, error: unknown): void;
  /** False: controllers write no events of type Normal. A simulation that reads no events saves a tenth of its writes. */
  readonly normalEvents?: boolean;
}

export interface Controller {
  stop(): void;
}

export interface ReconcilerOptions {
  readonly name: string;
  /** Level-triggered: gets a key and looks at what is there now. May ask to be called again. */
  reconcile(key: string): Promise<Requeue | undefined>;
  /** Keys worked on at the same time; a key is never worked on twice at once. */
  readonly concurrency?: number;
}

export interface Requeue {
  readonly afterMs: number;
}

const firstRetryMs = 5;
const lastRetryMs = 30_000;

/** A queue of keys without duplicates, worked on by a reconcile function; what fails is tried again, later and later. */
export class Reconciler implements Controller {
  readonly #context: ControllerContext;
  readonly #options: ReconcilerOptions;
  readonly #waiting = new Set<string>();
  readonly #working = new Set<string>();
  readonly #again = new Set<string>();
  readonly #delayed = new Map<string, { timer: Timer; due: number }>();
  readonly #failures = new Map<string, number>();
  #scheduled = false;
  #stopped = false;

  constructor(context: ControllerContext, options: ReconcilerOptions) {
    this.#context = context;
    this.#options = options;
  }

  add(key: string): void {
    if (this.#stopped) return;
    if (this.#working.has(key)) this.#again.add(key);
    else this.#waiting.add(key);
    this.#schedule();
  }

  /** An earlier call for the same key stays; a later one gives way. */
  addAfter(key: string, delayMs: number): void {
    if (this.#stopped) return;
    const due = this.#context.clock.now() + delayMs;
    const earlier = this.#delayed.get(key);
    if (earlier && earlier.due <= due) return;
    earlier?.timer.cancel();
    const timer = this.#context.clock.after(delayMs, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { timer, due });
  }

  /** Nothing waits and nothing is being worked on. */
  get idle(): boolean {
    return this.#waiting.size === 0 && this.#working.size === 0;
  }

  stop(): void {
    this.#stopped = true;
    for (const { timer } of this.#delayed.values()) timer.cancel();
    this.#delayed.clear();
    this.#waiting.clear();
  }

  /** Not at once: writes of one turn of the event loop end up in one look at the state. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#dispatch();
    });
  }

  #dispatch(): void {
    const limit = this.#options.concurrency ?? 16;
    for (const key of this.#waiting) {
      if (this.#working.size >= limit || this.#stopped) return;
      this.#waiting.delete(key);
      this.#working.add(key);
      void this.#work(key);
    }
  }

  async #work(key: string): Promise<void> {
    try {
      const requeue = await this.#options.reconcile(key);
      this.#failures.delete(key);
      if (requeue) this.addAfter(key, requeue.afterMs);
    } catch (error) {
      this.#retry(key, error);
    } finally {
      this.#working.delete(key);
      if (this.#again.delete(key)) this.#waiting.add(key);
      if (this.#waiting.size > 0) this.#schedule();
    }
  }

  #retry(key: string, error: unknown): void {
    if (this.#stopped) return;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    // Losing a race is everyday business; the next look sees what won.
    if (!isApiError(error, 409) && !isApiError(error, 404)) this.#context.report(this.#options.name, key, error);
    this.addAfter(key, Math.min(firstRetryMs * 2 ** (failures - 1), lastRetryMs));
  }
}
