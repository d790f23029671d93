import type { DisruptionRequest } from '../../core/request.ts';
import type { Verdict } from '../../core/verdict.ts';
import type { Deadline } from './deadline.ts';

export interface Reserved {
  readonly verdict: Verdict;
  /** The ledger has a reservation now that was written for this request. */
  readonly reserved: boolean;
}

/** One request that waits for its answer, or has stopped waiting. */
export class WaitingRequest {
  readonly request: DisruptionRequest;
  readonly deadline: Deadline;
  readonly answer: Promise<Reserved>;
  #resolve: (reserved: Reserved) => void = () => {};
  #answered = false;

  constructor(request: DisruptionRequest, deadline: Deadline) {
    this.request = request;
    this.deadline = deadline;
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get answered(): boolean {
    return this.#answered;
  }

  /** False: it was answered before, and this answer is dropped. */
  settle(reserved: Reserved): boolean {
    if (this.#answered) return false;
    this.#answered = true;
    this.#resolve(reserved);
    return true;
  }
}

/** The requests of one namespace that wait for the next write, in the order in which they arrived. */
export class WaitingLine {
  readonly #waiting = new Set<WaitingRequest>();
  /** A batch is about to be taken from it, or is being written. */
  busy = false;

  get size(): number {
    return this.#waiting.size;
  }

  add(request: WaitingRequest): void {
    this.#waiting.add(request);
  }

  remove(request: WaitingRequest): void {
    this.#waiting.delete(request);
  }

  take(room: number): WaitingRequest[] {
    const taken: WaitingRequest[] = [];
    for (const request of this.#waiting) {
      if (taken.length >= room) break;
      taken.push(request);
    }
    for (const request of taken) this.#waiting.delete(request);
    return taken;
  }
}

/**
 * One task at a time for each namespace: a batch and a pruning that wrote at once would only lose races to each other. A task begins
 * after those before it, and never in the same tick, so that requests which arrive together share one.
 */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();
  readonly #failed: (namespace: string, error: unknown) => void;

  constructor(failed: (namespace: string, error: unknown) => void) {
    this.#failed = failed;
  }

  /** Done when the task is, also when it failed: then those who wait behind it go on. */
  take(namespace: string, task: () => Promise<void>): Promise<void> {
    const before = this.#last.get(namespace) ?? Promise.resolve();
    const turn = before
      .then(task)
      .catch((error: unknown) => this.#failed(namespace, error))
      .finally(() => {
        if (this.#last.get(namespace) === turn) this.#last.delete(namespace);
      });
    this.#last.set(namespace, turn);
    return turn;
  }
}
