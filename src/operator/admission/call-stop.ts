/** Why nobody waits for an answer any more: the deadline has passed, or the client has left. */
export type StopReason = 'late' | 'gone';

/**
 * Tells when nobody waits for the answer to a call any more. Most calls are answered before anybody has to wait for anything, and
 * an AbortSignal costs more than their verdict: it is made when it is asked for.
 */
export class CallStop {
  #reason: StopReason | undefined;
  #controller: AbortController | undefined;
  /** One at a time: who reads the body, and then who waits for the handler. */
  #listener: (() => void) | undefined;

  get reason(): StopReason | undefined {
    return this.#reason;
  }

  /** Aborted with the reason. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Only the first time counts. */
  stop(reason: StopReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    this.#listener?.();
  }

  /** Instead of whoever listened before; at once if it has stopped already. */
  listen(listener: (reason: StopReason) => void): void {
    this.#listener = () => listener(this.#reason ?? 'gone');
    if (this.#reason !== undefined) this.#listener();
  }

  unlisten(): void {
    this.#listener = undefined;
  }
}
