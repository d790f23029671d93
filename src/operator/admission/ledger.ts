import { type DisruptionLedger, ledgerName, type Reservation } from '../../api/ledger.ts';
import type { ReleaseReason } from '../../core/ledger/prune.ts';
import type { World } from '../../core/world/world.ts';
import type { Clock } from '../../kube/time/clock.ts';
import { acceptLedger, acceptRead } from '../ledger/accept-ledger.ts';
import { timeboxed } from './deadline.ts';

/** Ledgers as the operator reads and writes them: consistent reads, compare-and-swap, and the newest version in the world. */

export type LedgerRead =
  | { readonly kind: 'found'; readonly ledger: DisruptionLedger }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly message: string };

export type LedgerWrite =
  | { readonly kind: 'stored'; readonly ledger: DisruptionLedger }
  /** Another replica wrote, or created it, first. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'missing' }
  /** Whether it was written all the same is not known, and need not be: the next compare-and-swap finds out. */
  | { readonly kind: 'failed'; readonly message: string };

export interface LedgerStore {
  /** A consistent read, never one from a cache: what it shows was so after the call began (L6). */
  read(namespace: string, signal: AbortSignal): Promise<LedgerRead>;
  create(ledger: DisruptionLedger, signal: AbortSignal): Promise<LedgerWrite>;
  /** Compare and swap by `metadata.resourceVersion`. */
  replace(ledger: DisruptionLedger, signal: AbortSignal): Promise<LedgerWrite>;
}

export type Writer = 'batch' | 'prune' | 'withdraw' | 'sizes' | 'create';

/** For metrics and logs. None of them may throw. */
export interface LedgerEvents {
  /** A batch was answered: how many requests shared it, how many it reserved, and after how many attempts. */
  readonly batch?: (namespace: string, requests: number, reserved: number, attempts: number) => void;
  readonly wrote?: (namespace: string, writer: Writer, outcome: LedgerWrite['kind'], milliseconds: number) => void;
  /** A reservation was written, and its request was answered "not now". It counts until the pruner releases it. */
  readonly abandoned?: (namespace: string, pod: string) => void;
  readonly released?: (namespace: string, reservation: Reservation, why: ReleaseReason) => void;
}

interface AccessParts {
  readonly world: World;
  readonly store: LedgerStore;
  readonly clock: Clock;
  readonly events: LedgerEvents;
  /** How long one call of the API server may take. */
  readonly callMs: number;
}

/** Namespaces come and go. It matters for a tenth of a second when one was written; to forget it costs a write at most. */
const maxRemembered = 10_000;

/** Reads and writes ledgers in bounded time, and keeps the world's copy as new as what was seen. */
export class LedgerAccess {
  readonly #parts: AccessParts;
  /** By namespace. */
  readonly #batchedAt = new Map<string, number>();

  constructor(parts: AccessParts) {
    this.#parts = parts;
  }

  /** When this process last wrote reservations, by the clock's `monotonic`. */
  batchedAt(namespace: string): number {
    return this.#batchedAt.get(namespace) ?? Number.NEGATIVE_INFINITY;
  }

  /** The resourceVersion that the world judges by. */
  version(namespace: string): string | undefined {
    return this.#parts.world.namespace(namespace)?.ledger?.metadata.resourceVersion;
  }

  /** @param leftMs what is left of the time of the requests that wait for it; absent: none does */
  async read(namespace: string, leftMs = Number.POSITIVE_INFINITY): Promise<LedgerRead> {
    const { world, store, clock, callMs } = this.#parts;
    const before = this.version(namespace);
    const failed = (message: string): LedgerRead => ({ kind: 'failed', message });
    const limit = Math.min(callMs, leftMs);
    const answer = await timeboxed(clock, limit, (signal) => store.read(namespace, signal), failed);
    if (answer.kind === 'found') acceptRead(world, namespace, answer.ledger, before);
    return answer;
  }

  /**
   * Creates a ledger that has no version yet; otherwise compares and swaps. A write that was sent is waited for, also when the
   * requests that asked for it are over: what it reserved has to be known.
   */
  async write(namespace: string, ledger: DisruptionLedger, writer: Writer): Promise<LedgerWrite> {
    const { store } = this.#parts;
    if (ledger.metadata.resourceVersion !== undefined) {
      return this.#write(namespace, writer, (signal) => store.replace(ledger, signal));
    }
    return this.#write(namespace, 'create', (signal) => store.create(ledger, signal));
  }

  /**
   * There is no ledger: nothing is reserved, and the first reservation will create it; until then nothing leaves a trace. If a person
   * deleted it, this replica goes on with what it last knew of it, so that what was allowed stays reserved. (The pods of a namespace
   * that was deleted and created again have other uids: such reservations hold up no request, and end when their pods are seen to be
   * gone.)
   */
  assume(namespace: string): DisruptionLedger {
    const { world } = this.#parts;
    const known = world.namespace(namespace)?.ledger?.spec;
    const spec = { ...known, reservations: known?.reservations ?? [] };
    const ledger = { metadata: { name: ledgerName, namespace }, spec };
    world.setLedger(namespace, ledger);
    return ledger;
  }

  /**
   * What a ledger held that a person deleted must be there for other replicas, too, before anything is decided by it, or released from it.
   * Undefined: it is there, or there was nothing to put back.
   */
  async restore(namespace: string): Promise<string | undefined> {
    const ledger = this.assume(namespace);
    if (ledger.spec?.reservations?.length === 0) return undefined;
    const created = await this.write(namespace, ledger, 'create');
    if (created.kind === 'stored') return undefined;
    if (created.kind === 'conflict') return 'another replica created it';
    return `it could not be created: ${created.kind === 'failed' ? created.message : 'there is no such namespace'}`;
  }

  async #write(
    namespace: string,
    writer: Writer,
    call: (signal: AbortSignal) => Promise<LedgerWrite>,
  ): Promise<LedgerWrite> {
    const { world, clock, events, callMs } = this.#parts;
    const began = clock.monotonic();
    const failed = (message: string): LedgerWrite => ({ kind: 'failed', message });
    const answer = await timeboxed(clock, callMs, call, failed);
    if (answer.kind === 'stored') acceptLedger(world, namespace, answer.ledger);
    if (answer.kind === 'stored' && writer === 'batch') this.#batched(namespace);
    events.wrote?.(namespace, writer, answer.kind, clock.monotonic() - began);
    return answer;
  }

  #batched(namespace: string): void {
    if (this.#batchedAt.size >= maxRemembered) this.#batchedAt.clear();
    this.#batchedAt.set(namespace, this.#parts.clock.monotonic());
  }
}
