/** Time is an argument: everything in the cluster that waits or stamps asks a clock. */

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, no earlier than `delayMs` from now. A real timer never keeps the process alive. */
  after(delayMs: number, callback: () => void): Timer;
}

/** Longest delay that Node's timers take; longer ones fire at once. */
const maxDelay = 2_147_483_647;

export const realClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(0, delayMs), maxDelay));
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};

/** A time as Kubernetes writes `metav1.Time`: whole seconds, UTC. */
export function timestamp(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== lastSecond.second) {
    lastSecond = { second, text: `${new Date(second * 1000).toISOString().slice(0, 19)}Z` };
  }
  return lastSecond.text;
}

/** Most stamps are of the same second as the one before. */
let lastSecond = { second: Number.NaN, text: '' };

/** A time as Kubernetes writes `metav1.MicroTime`. */
export function microTimestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}

export function sleep(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => clock.after(delayMs, resolve));
}
