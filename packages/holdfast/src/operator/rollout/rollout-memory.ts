import type { Removal, RemovalVerdict } from '../../core/rollout/state.ts';
import type { EventNote } from '../../kube/events/recorder.ts';
import type { Clock } from '../../kube/time/clock.ts';
import { noteTroubles, type Seen, type Troubles } from './crash-loops.ts';

interface Refusal {
  readonly message: string;
  /** On the monotonic clock. */
  readonly until: number;
}

/** A removal with an unknown outcome, and what to report if it happened. */
export interface RemovalAttempt {
  readonly removal: Removal;
  readonly notes: readonly EventNote[];
}

interface OfSet {
  /** On the monotonic clock. */
  removedAt?: number;
  /** By uid of the pod. */
  refusals: ReadonlyMap<string, Refusal>;
  troubles: Troubles;
  attempt?: RemovalAttempt;
}

/**
 * What a leader remembers of the sets that it repairs: when it last removed a pod, what was refused, and which pods only seem to
 * recover. A new leader begins with nothing, which costs a question or a settle time more.
 */
export class RolloutMemory {
  readonly #clock: Clock;
  readonly #sets = new Map<string, OfSet>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  removed(key: string): void {
    this.#of(key).removedAt = this.#clock.monotonic();
  }

  refused(key: string, uid: string, message: string, forMs: number): void {
    const now = this.#clock.monotonic();
    const kept = [...this.#of(key).refusals].filter(([, { until }]) => until > now);
    this.#of(key).refusals = new Map([...kept, [uid, { message, until: now + forMs }]]);
  }

  attempted(key: string, attempt: RemovalAttempt): void {
    this.#of(key).attempt = attempt;
    // It may have happened, so the next one waits as if it had.
    this.removed(key);
  }

  /** Asked for once: what became of it is seen now, or never. */
  takeAttempt(key: string): RemovalAttempt | undefined {
    const known = this.#sets.get(key);
    const attempt = known?.attempt;
    if (known !== undefined) delete known.attempt;
    return attempt;
  }

  /** How long the next removal has to wait. */
  pauseMs(key: string, betweenMs: number): number {
    const at = this.#sets.get(key)?.removedAt;
    return at === undefined ? 0 : Math.max(0, at + betweenMs - this.#clock.monotonic());
  }

  /** Until the first of the refusals is to be asked for again; infinity when there is none. */
  refusedForMs(key: string): number {
    const now = this.#clock.monotonic();
    const waits = [...(this.#sets.get(key)?.refusals.values() ?? [])].map(({ until }) => until - now);
    return Math.min(...waits.filter((wait) => wait > 0), Number.POSITIVE_INFINITY);
  }

  verdict(key: string, uid: string | undefined): RemovalVerdict {
    const refusal = this.#sets.get(key)?.refusals.get(uid ?? '');
    if (refusal === undefined || refusal.until <= this.#clock.monotonic()) return { result: 'allow' };
    return { result: 'deny', message: refusal.message };
  }

  /** Since when the pods of a set have been in trouble, as of now. */
  troubles(key: string, seen: Seen): Troubles {
    const known = this.#of(key);
    known.troubles = noteTroubles(known.troubles, seen);
    return known.troubles;
  }

  forget(key: string): void {
    this.#sets.delete(key);
  }

  #of(key: string): OfSet {
    const known = this.#sets.get(key) ?? { refusals: new Map(), troubles: new Map() };
    this.#sets.set(key, known);
    return known;
  }
}
