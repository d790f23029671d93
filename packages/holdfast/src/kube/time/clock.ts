/** Time is an argument: everything in the client that waits, or asks how long it has waited, is given a clock. */

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Milliseconds since 1970: for what others read. People and NTP may set it. */
  now(): number;
  /** Milliseconds since some moment: for how long something took. Setting the wall clock does not change it. */
  monotonic(): number;
  /** Calls back once, no earlier than `delayMs` from now. */
  after(delayMs: number, callback: () => void): Timer;
}

/** Longest delay that Node's timers take; longer ones fire at once. */
const maxDelay = 2_147_483_647;

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(0, delayMs), maxDelay));
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Waits, or less when the signal says so. Tells whether the time has passed. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted === true) return Promise.resolve(false);
  return new Promise((resolve) => {
    const stop = () => {
      timer.cancel();
      resolve(false);
    };
    const timer = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', stop);
      resolve(true);
    });
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Resolves when the signal aborts, or at once where it has. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** A time as Kubernetes writes `metav1.Time`: whole seconds, UTC. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** A time as Kubernetes writes `metav1.MicroTime`. */
export function microTimestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}
