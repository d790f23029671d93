import type { Clock, Timer } from '../time/clock.ts';

export type TimeboxEnd = 'deadline' | 'aborted';

/** One limit over a whole call, credentials and connecting included: its deadline, and its caller's change of mind. */
export class Timebox {
  readonly #signal: AbortSignal | undefined;
  readonly #timer: Timer;
  readonly #onAbort = () => this.#end('aborted');
  #listener: (() => void) | undefined;
  #ended: TimeboxEnd | undefined;

  constructor(clock: Clock, deadlineMs: number, signal: AbortSignal | undefined) {
    this.#signal = signal;
    this.#timer = clock.after(deadlineMs, () => this.#end('deadline'));
    if (signal?.aborted === true) this.#end('aborted');
    else signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  get ended(): TimeboxEnd | undefined {
    return this.#ended;
  }

  /** One listener at a time; called at once when it is over already. */
  onEnd(listener: () => void): void {
    this.#listener = listener;
    if (this.#ended !== undefined) listener();
  }

  /** A stream has begun, and may take as long as it likes. */
  lift(): void {
    this.#timer.cancel();
  }

  close(): void {
    this.#timer.cancel();
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#listener = undefined;
  }

  #end(end: TimeboxEnd): void {
    if (this.#ended !== undefined) return;
    this.#ended = end;
    this.#timer.cancel();
    this.#listener?.();
  }
}
