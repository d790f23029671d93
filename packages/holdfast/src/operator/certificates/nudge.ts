import type { Clock } from '../../kube/time/clock.ts';

/** Wakes the loop that waits for changes. A nudge that comes while the loop is busy is kept for its next wait. */
export class Nudge {
  #given = false;
  #wake: (() => void) | undefined;

  give(): void {
    this.#given = true;
    this.#wake?.();
  }

  /** What happened up to now is about to be looked at. */
  clear(): void {
    this.#given = false;
  }

  /** Until something has happened since `clear`, or the time has passed, or the signal says stop. One waits at a time. */
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
