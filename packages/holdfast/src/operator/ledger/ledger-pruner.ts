import {
  defaultTimeLimits,
  type NotesSeen,
  type PruneOutcome,
  prune,
  type TimeLimits,
} from '../../core/ledger/prune.ts';
import { isAtLeast } from '../../core/resource-version.ts';
import type { World } from '../../core/world/world.ts';
import type { Clock, Timer } from '../../kube/time/clock.ts';
import type { LedgerAccess, LedgerEvents } from '../admission/ledger.ts';
import type { NamespaceMutex } from '../admission/reserve.ts';

export interface PrunerLimits {
  /**
   * How long after a change a ledger is looked at: pods that go together leave it with one write, and the views of the other
   * replicas are past the watermark by the time that they see it.
   */
  readonly gatherMs: number;
  /**
   * A ledger with reservations is looked at so often, whatever happens: a view may grow newer without any pod changing, and what
   * time alone decides is not for the writes of batches.
   */
  readonly recheckMs: number;
  /** How long to wait after a write that failed. */
  readonly retryMs: number;
  /** The pods are read no more often, for each namespace: a view that is a moment behind the ledger asks for it, too. */
  readonly podsReadMs: number;
}

/**
 * A consistent read: the resourceVersion that the pods of a namespace have after the call began. Undefined: it could not be read, and
 * is asked for again.
 */
export type PodsVersion = (namespace: string) => Promise<string | undefined>;

export const defaultPrunerLimits: PrunerLimits = { gatherMs: 100, recheckMs: 5_000, retryMs: 1_000, podsReadMs: 1_000 };

interface PrunerParts {
  readonly world: World;
  readonly access: LedgerAccess;
  /** Shared with the ledger service of this process. */
  readonly mutex: NamespaceMutex;
  readonly clock: Clock;
  readonly identity: string;
  readonly events: LedgerEvents;
  readonly limits: PrunerLimits;
  readonly timeLimits?: TimeLimits;
  readonly podsVersion: PodsVersion;
}

interface Plan {
  readonly at: number;
  readonly timer: Timer;
  /** Since when a look has been due. */
  readonly since: number;
}

/**
 * Takes out of the ledgers what was seen to have happened, and sees the rest through its three steps (L4). Only the leader does
 * so; but two that both believe to lead do no harm, for each waits on its own clock and writes by compare-and-swap.
 */
export class LedgerPruner {
  readonly #parts: PrunerParts;
  readonly #plans = new Map<string, Plan>();
  /** By namespace. */
  readonly #seen = new Map<string, NotesSeen>();
  /** When the pods were last read, by namespace and the clock's `monotonic`. */
  readonly #podsReadAt = new Map<string, number>();
  #leads = false;

  constructor(parts: PrunerParts) {
    this.#parts = parts;
  }

  lead(): void {
    this.#leads = true;
    for (const state of this.#parts.world.namespaces()) this.touch(state.name);
  }

  resign(): void {
    this.#leads = false;
    for (const { timer } of this.#plans.values()) timer.cancel();
    this.#plans.clear();
    this.#seen.clear();
    this.#podsReadAt.clear();
  }

  /** To be called when pods or the ledger of a namespace have changed. */
  touch(namespace: string): void {
    if (this.#leads && this.#hasWork(namespace)) this.#plan(namespace, this.#parts.limits.gatherMs);
  }

  /** The earliest plan stands. */
  #plan(namespace: string, delayMs: number, since = this.#parts.clock.monotonic()): void {
    const { clock } = this.#parts;
    const at = clock.monotonic() + Math.max(0, delayMs);
    const present = this.#plans.get(namespace);
    if (present !== undefined && present.at <= at) return;
    present?.timer.cancel();
    const first = Math.min(since, present?.since ?? since);
    const timer = clock.after(delayMs, () => {
      this.#plans.delete(namespace);
      this.#lookOrWait(namespace, first);
    });
    this.#plans.set(namespace, { at, timer, since: first });
  }

  /** While requests write a ledger, what was seen to go leaves it by their writes: one more would hold them up. */
  #lookOrWait(namespace: string, since: number): void {
    const { access, clock, limits, mutex } = this.#parts;
    const now = clock.monotonic();
    const quietAt = access.batchedAt(namespace) + limits.gatherMs;
    if (now < quietAt && now - since < limits.recheckMs) this.#plan(namespace, quietAt - now, since);
    else void mutex.take(namespace, () => this.#look(namespace));
  }

  async #look(namespace: string): Promise<void> {
    if (!this.#leads) return;
    const { clock, limits } = this.#parts;
    const outcome = await this.#prune(namespace);
    if (!this.#leads) return;
    if (outcome.seen.size > 0) this.#seen.set(namespace, outcome.seen);
    else this.#seen.delete(namespace);
    const delay = outcome.ledger === undefined ? limits.recheckMs : await this.#write(namespace, outcome);
    if (!this.#leads || !this.#hasWork(namespace)) return;
    const untilDue = outcome.nextCheckAt === undefined ? delay : outcome.nextCheckAt - clock.now();
    this.#plan(namespace, Math.min(delay, Math.max(limits.gatherMs, untilDue)));
  }

  /** A step that needs a consistent read of the pods is decided once more with it, by the same times (L4). */
  async #prune(namespace: string): Promise<PruneOutcome> {
    const { world, access, clock, identity, limits, timeLimits = defaultTimeLimits, podsVersion } = this.#parts;
    const [now, uptime] = [clock.now(), clock.monotonic()];
    const options = { identity, limits: timeLimits, uptime, seen: this.#seen.get(namespace) ?? new Map() };
    const first = prune(world, namespace, now, options);
    const ledgerVersion = access.version(namespace);
    const readAt = this.#podsReadAt.get(namespace) ?? Number.NEGATIVE_INFINITY;
    if (!first.needsPods || ledgerVersion === undefined || uptime - readAt < limits.podsReadMs) return first;
    this.#podsReadAt.set(namespace, uptime);
    const version = await podsVersion(namespace);
    if (version === undefined) return first;
    return prune(world, namespace, now, { ...options, pods: { version, ledgerVersion } });
  }

  /** After how long to look again. */
  async #write(namespace: string, { ledger, released, noted }: PruneOutcome): Promise<number> {
    const { access, events, limits } = this.#parts;
    if (ledger === undefined) return limits.recheckMs;
    const written = await access.write(namespace, ledger, 'prune');
    if (written.kind === 'stored') {
      for (const { reservation, why } of released) events.released?.(namespace, reservation, why);
      return noted ? limits.gatherMs : limits.recheckMs;
    }
    const read = await access.read(namespace);
    // A person deleted it. What it held counts in every replica until it ends, so it has to be there to be ended.
    if (read.kind === 'missing')
      return (await access.restore(namespace)) === undefined ? limits.gatherMs : limits.retryMs;
    return written.kind === 'conflict' && read.kind === 'found' ? limits.gatherMs : limits.retryMs;
  }

  /** Reservations, or a watermark that the view has not reached: it may be from before a restore of etcd. */
  #hasWork(namespace: string): boolean {
    const { world } = this.#parts;
    const state = world.namespace(namespace);
    const watermark = state?.ledger?.spec?.watermark;
    if (state === undefined || state.reservations.size > 0) return state !== undefined;
    return watermark !== undefined && !isAtLeast(world.syncedVersion('pods') ?? '', watermark);
  }
}
