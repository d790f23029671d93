import type { Clock } from '../time/clock.ts';
import type { WatchProof } from '../transport/wire.ts';

/**
 * A view that was not known to be current for so long is stale. It leaves room for two things: a dead connection is noticed after ten
 * seconds, or twelve where the server answers no pings, and another one is then opened.
 */
const maxSilentMs = 15_000;
/** Where nothing is done to find out: bookmarks come about every minute, and a silence of 130 seconds is ended by reading everything again. */
const maxTrustedMs = 170_000;
/** For so long after it began, a watch may be telling of what happened before, or be about to fail. */
const settleMs = 1_000;

/** When a view was last known to be current: what a server said, or that it still has its connection to us. */
export class Liveness {
  readonly #clock: Clock;
  #knownAt: number | undefined;
  #watch: { readonly proof: WatchProof; readonly since: number } | undefined;
  #proven = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Its dead connections are noticed. */
  get proven(): boolean {
    return this.#proven;
  }

  /** An event, a bookmark or a list was taken in. */
  shown(): void {
    this.#knownAt = this.#clock.monotonic();
  }

  /** A watch follows the view from now on. */
  began(proof: WatchProof): void {
    this.#watch = { proof, since: this.#clock.monotonic() };
    this.#proven = proof.kind !== 'trusted';
  }

  ended({ properly }: { readonly properly: boolean }): void {
    // That the server ended it shows that it had said everything. Otherwise it was alive until it was last heard.
    if (properly && this.#watch?.proof.kind === 'renewed') this.shown();
    const silentMs = this.silentMs();
    if (Number.isFinite(silentMs)) this.#knownAt = this.#clock.monotonic() - silentMs;
    this.#watch = undefined;
  }

  /** Milliseconds since the view was last known to be current. Infinity: never. */
  silentMs(): number {
    if (this.#knownAt === undefined) return Number.POSITIVE_INFINITY;
    return Math.min(this.#clock.monotonic() - this.#knownAt, this.#watchSilentMs());
  }

  get stale(): boolean {
    return this.silentMs() > (this.#proven ? maxSilentMs : maxTrustedMs);
  }

  #watchSilentMs(): number {
    if (this.#watch === undefined) return Number.POSITIVE_INFINITY;
    const { proof, since } = this.#watch;
    const lastedMs = this.#clock.monotonic() - since;
    if (lastedMs < settleMs) return Number.POSITIVE_INFINITY;
    switch (proof.kind) {
      case 'pinged':
        return proof.silentMs();
      case 'renewed':
        return lastedMs;
      case 'trusted':
        return Number.POSITIVE_INFINITY;
    }
  }
}
