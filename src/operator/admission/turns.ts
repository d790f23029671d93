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
