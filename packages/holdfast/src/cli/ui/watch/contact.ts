import type { Clock } from '../../../kube/time/clock.ts';
import type { AbnormalEnd } from '../../../observe/view/watched.ts';

/** Since when (by the wall clock) and why what is shown may be old. */
export interface Loss {
  readonly since: number;
  readonly why: string;
}

/** A connection that is replaced at once is no news. */
const graceMs = 1_500;

/** Whether the API server is heard. */
export class Contact {
  readonly #clock: Clock;
  #broken: { readonly at: number; readonly since: number; why: string; endedAt: number } | undefined;
  #stale: Loss | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The watch of a collection ended. @param silentMs since when the collection is not known to be current */
  ended(end: AbnormalEnd, silentMs: number): void {
    const why = lossOf(end);
    if (why === undefined) return;
    const endedAt = this.#clock.monotonic();
    if (this.#broken === undefined) this.#broken = { at: endedAt, since: this.#ago(silentMs), why, endedAt };
    else {
      this.#broken.why = why;
      this.#broken.endedAt = endedAt;
    }
  }

  /**
   * Undefined: the server is heard.
   *
   * @param silentMs of a collection that is always followed
   * @param stale why the view says that it is too old, if it does
   */
  loss(silentMs: number, stale: string | undefined): Loss | undefined {
    const now = this.#clock.monotonic();
    if (this.#broken !== undefined && silentMs < now - this.#broken.endedAt) this.#broken = undefined;
    // Told once: a time that is computed again differs by a millisecond.
    this.#stale = stale === undefined ? undefined : (this.#stale ?? { since: this.#ago(silentMs), why: stale });
    if (this.#broken !== undefined && now - this.#broken.at > graceMs) {
      return { since: this.#broken.since, why: this.#broken.why };
    }
    return this.#stale;
  }

  #ago(ms: number): number {
    return Math.round(this.#clock.now() - (Number.isFinite(ms) ? ms : 0));
  }
}

/** Why an end means that the server cannot be reached; undefined: it answered. */
function lossOf(end: AbnormalEnd): string | undefined {
  if (end.kind !== 'failed') return end.message;
  const { kind, code, message } = end.failure;
  if (kind === 'denied') return code === 401 ? `the API server does not know you: ${message}` : undefined;
  return kind === 'retry' ? message : undefined;
}
