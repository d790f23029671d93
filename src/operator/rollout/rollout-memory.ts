import type { RemovalVerdict } from '../../core/rollout/state.ts';
import type { Clock } from '../../kube/time/clock.ts';
import { noteTroubles, type Seen, type Troubles } from './crash-loops.ts';

/** Nothing is known of it. */
const none: Troubles = new Map();

interface Refusal {
  readonly uid: string;
  readonly message: string;
  /** On the clock that nobody sets. */
  readonly until: number;
}

/**
 * What a leader remembers of the sets that it repairs: when it last removed a pod, what was refused, and which pods only seem to
 * recover. A new leader begins with nothing, which costs a question or a settle time more.
 */
export class RolloutMemory {
  readonly #clock: Clock;
  readonly #removedAt = new Map<string, number>();
  readonly #refusals = new Map<string, Refusal>();
  readonly #troubles = new Map<string, Troubles>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  removed(key: string): void {
    this.#removedAt.set(key, this.#clock.monotonic());
    this.#refusals.delete(key);
  }

  refused(key: string, uid: string, message: string, forMs: number): void {
    this.#refusals.set(key, { uid, message, until: this.#clock.monotonic() + forMs });
  }

  /** How long the next removal has to wait. */
  pauseMs(key: string, betweenMs: number): number {
    const at = this.#removedAt.get(key);
    return at === undefined ? 0 : Math.max(0, at + betweenMs - this.#clock.monotonic());
  }

  refusedForMs(key: string): number {
    return Math.max(0, (this.#refusals.get(key)?.until ?? 0) - this.#clock.monotonic());
  }

  verdict(key: string, uid: string | undefined): RemovalVerdict {
    const refusal = this.#refusals.get(key);
    if (refusal === undefined || refusal.uid !== uid || this.refusedForMs(key) === 0) return { result: 'allow' };
    return { result: 'deny', message: refusal.message };
  }

  /** Since when the pods of a set have been in trouble, as of now. */
  troubles(key: string, seen: Seen): Troubles {
    const troubles = noteTroubles(this.#troubles.get(key) ?? none, seen);
    if (troubles.size === 0) this.#troubles.delete(key);
    else this.#troubles.set(key, troubles);
    return troubles;
  }

  forget(key: string): void {
    this.#troubles.delete(key);
    this.#removedAt.delete(key);
    this.#refusals.delete(key);
  }
}
