import type { Clock } from '../../kube/time/clock.ts';
import { errorText, type ProbeResult, probeFailed, unknown } from './probe-result.ts';

export interface AttemptTerms {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Aborted when the answer is no longer needed. */
  readonly signal?: AbortSignal;
}

/** A probe under way. The first result counts, and after it nothing of the probe stays open. */
export interface ProbeAttempt {
  settle(result: ProbeResult): void;
  /** How to end what is under way now; replaces what was said before, and is called at once when it is over. */
  onEnd(close: () => void): void;
  /** Aborted when it is over, for what has to wait. */
  over(): AbortSignal;
}

/** Ends in time whatever the other side does: the limit is over everything from connecting to the last byte. */
export function attempt(
  { clock, timeoutMs, signal }: AttemptTerms,
  begin: (to: ProbeAttempt) => void,
): Promise<ProbeResult> {
  return new Promise((resolve) => {
    let close: () => void = () => undefined;
    let over = false;
    let ending: AbortController | undefined;
    const settle = (result: ProbeResult) => {
      if (over) return;
      over = true;
      timer.cancel();
      signal?.removeEventListener('abort', abandon);
      resolve(result);
      close();
      ending?.abort();
    };
    const abandon = () => settle(unknown('the probe was abandoned'));
    const timer = clock.after(timeoutMs, () => settle(probeFailed(`no answer within ${timeoutMs / 1000} s`)));
    signal?.addEventListener('abort', abandon, { once: true });
    const onEnd = (callback: () => void) => {
      close = callback;
      if (over) callback();
    };
    const overSignal = () => {
      ending ??= new AbortController();
      if (over) ending.abort();
      return ending.signal;
    };
    try {
      if (signal?.aborted === true) abandon();
      else begin({ settle, onEnd, over: overSignal });
    } catch (error) {
      // Such as a header that cannot be sent.
      settle(probeFailed(errorText(error)));
    }
  });
}
