/** So many at the same time and no more; the others wait in turn, or give up. */
export class Slots {
  readonly #limit: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Undefined: given up before its turn came. */
  async run<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T | undefined> {
    if (this.#taken < this.#limit) this.#taken += 1;
    else if (!(await this.#turn(signal))) return undefined;
    try {
      return signal.aborted ? undefined : await task();
    } finally {
      this.#release();
    }
  }

  #turn(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const leave = () => {
        this.#waiting.delete(enter);
        resolve(false);
      };
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.add(enter);
    });
  }

  /** A released slot goes straight to the next waiting probe. */
  #release(): void {
    for (const enter of this.#waiting) {
      this.#waiting.delete(enter);
      enter();
      return;
    }
    this.#taken -= 1;
  }
}
