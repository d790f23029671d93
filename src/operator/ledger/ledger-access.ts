import { type DisruptionLedger, ledgerName } from '../../api/ledger.ts';
import type { World } from '../../core/world/world.ts';
import type { Clock } from '../../kube/time/clock.ts';
import { acceptLedger } from './accept-ledger.ts';
import { timeboxed } from './patience.ts';
import type { LedgerEvents, LedgerRead, LedgerStore, LedgerWrite, Writer } from './ports.ts';

interface AccessParts {
  readonly world: World;
  readonly store: LedgerStore;
  readonly clock: Clock;
  readonly events: LedgerEvents;
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

  async read(namespace: string): Promise<LedgerRead> {
    const { world, store, clock, callMs } = this.#parts;
    const failed = (message: string): LedgerRead => ({ kind: 'failed', message });
    const answer = await timeboxed(clock, callMs, (signal) => store.read(namespace, signal), failed);
    if (answer.kind === 'found') acceptLedger(world, namespace, answer.ledger);
    return answer;
  }

  /** Creates a ledger that has no version yet; otherwise compares and swaps. */
  async write(namespace: string, ledger: DisruptionLedger, writer: Writer): Promise<LedgerWrite> {
    const { store } = this.#parts;
    if (ledger.metadata.resourceVersion !== undefined) {
      return this.#write(namespace, writer, (signal) => store.replace(ledger, signal));
    }
    return this.#write(namespace, 'create', (signal) => store.create(ledger, signal));
  }

  /**
   * There is no ledger: nothing is reserved, and the first reservation will create it; until then nothing leaves a trace. In one that
   * somebody deleted by hand there may be what this replica last knew of it, so that what was allowed stays reserved. (The pods of a
   * namespace that was deleted and made anew have other uids: such reservations hold nobody up, and end when their pods are seen to be
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
