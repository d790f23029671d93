import type { Clock } from '../../kube/time/clock.ts';

/** Wakes the leader's loop. A change that arrives while the loop is busy is kept for its next wait, so that none is missed. */
export class ChangeSignal {
  #given = false;
  #wake: (() => void) | undefined;

  give(): void {
    this.#given = true;
    this.#wake?.();
  }

  /** The loop calls this before it reads: changes up to now are in what it reads. */
  clear(): void {
    this.#given = false;
  }

  /** Resolves at the first change since `clear`, after the time limit, or when the signal aborts. Only one loop may wait. */
  wait(clock: Clock, limitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#given || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        timer.cancel();
        signal.removeEventListener('abort', end);
        this.#wake = undefined;
        resolve();
      };
      const timer = clock.after(limitMs, end);
      this.#wake = end;
      signal.addEventListener('abort', end);
    });
  }
}
