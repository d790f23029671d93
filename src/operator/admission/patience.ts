import type { Clock } from '../../kube/time/clock.ts';

/** How long somebody waits: a signal that is given when their time is up. */
export interface Patience {
  readonly signal: AbortSignal;
  end(): void;
}

export function patienceOf(clock: Clock, ms: number): Patience {
  const controller = new AbortController();
  const timer = clock.after(ms, () => controller.abort());
  return { signal: controller.signal, end: () => timer.cancel() };
}

/** The answer, or `late` when the signal comes first. A promise that is waited for no longer may fail unheard. */
export function unlessAborted<T>(signal: AbortSignal, answer: Promise<T>, late: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(late());
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Gives a call so much time. One that throws, or is not back in time, has failed; it is told to stop, and may yet have had its effect. */
export async function timeboxed<T>(
  clock: Clock,
  ms: number,
  call: (signal: AbortSignal) => Promise<T>,
  failed: (message: string) => T,
): Promise<T> {
  const patience = patienceOf(clock, ms);
  try {
    return await unlessAborted(patience.signal, call(patience.signal), () => failed(`no answer within ${ms} ms`));
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  } finally {
    patience.end();
  }
}

export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}
