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

/** Reads and writes ledgers in bounded time, and keeps the world's copy as new as what was seen. */
export class LedgerAccess {
  readonly #parts: AccessParts;

  constructor(parts: AccessParts) {
    this.#parts = parts;
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

  async replace(namespace: string, ledger: DisruptionLedger, writer: Writer): Promise<LedgerWrite> {
    return this.#write(namespace, writer, (signal) => this.#parts.store.replace(ledger, signal));
  }

  /**
   * A ledger that is not there is created; one that somebody deleted by hand is created with what this replica last knew of it, so
   * that what was allowed stays reserved. (The pods of a namespace that was deleted and made anew have other uids: such
   * reservations hold nobody up, and end when their pods are seen to be gone.)
   */
  async create(namespace: string): Promise<LedgerWrite> {
    const known = this.#parts.world.namespace(namespace)?.ledger?.spec;
    const ledger: DisruptionLedger = {
      metadata: { name: ledgerName, namespace },
      spec: { ...known, reservations: known?.reservations ?? [] },
    };
    return this.#write(namespace, 'create', (signal) => this.#parts.store.create(ledger, signal));
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
    events.wrote?.(namespace, writer, answer.kind, clock.monotonic() - began);
    return answer;
  }
}
