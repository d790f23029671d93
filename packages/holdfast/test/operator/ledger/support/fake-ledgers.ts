import type { DisruptionLedger } from '../../../../src/api/ledger.ts';
import type { Clock } from '../../../../src/kube/time/clock.ts';
import { pause } from '../../../../src/operator/admission/deadline.ts';
import type { LedgerRead, LedgerStore, LedgerWrite } from '../../../../src/operator/admission/ledger.ts';

/**
 * `lost`: it happened, and the answer was lost. `dropped`: it never arrived. `hangs`: it arrived, and the answer never comes.
 * `raced`: another replica writes a moment before.
 */
export type Fault = 'lost' | 'dropped' | 'hangs' | 'throws' | 'raced';

/** The stored ledger of one namespace, and the counter of versions of ledgers: pods have another. */
export interface Backend {
  ledger: DisruptionLedger | undefined;
  ledgerVersion: number;
}

/** An API server's ledgers, as one client sees them: calls take time, lose races and get lost. */
export class FakeLedgers implements LedgerStore {
  readonly calls: ('read' | 'create' | 'replace')[] = [];
  /** For the coming calls, in order. */
  readonly faults: (Fault | undefined)[] = [];
  /** A process that crashed starts no new calls, and hears of none. */
  dead = false;
  onWrite: (before: DisruptionLedger | undefined, after: DisruptionLedger) => void = () => {};
  readonly #backend: Backend;
  readonly #clock: Clock;
  readonly #latency: () => number;

  constructor(backend: Backend, clock: Clock, latency: () => number = () => 1) {
    this.#backend = backend;
    this.#clock = clock;
    this.#latency = latency;
  }

  count(call: 'read' | 'create' | 'replace'): number {
    return this.calls.filter((one) => one === call).length;
  }

  read(): Promise<LedgerRead> {
    return this.#call('read', () => {
      const { ledger } = this.#backend;
      return ledger === undefined ? { kind: 'missing' } : { kind: 'found', ledger };
    });
  }

  create(ledger: DisruptionLedger): Promise<LedgerWrite> {
    return this.#call('create', () => {
      return this.#backend.ledger === undefined ? this.#store(ledger) : { kind: 'conflict' };
    });
  }

  replace(ledger: DisruptionLedger): Promise<LedgerWrite> {
    return this.#call('replace', () => {
      const present = this.#backend.ledger;
      if (present === undefined) return { kind: 'missing' };
      const same = present.metadata.resourceVersion === ledger.metadata.resourceVersion;
      return same ? this.#store(ledger) : { kind: 'conflict' };
    });
  }

  async #call<T>(
    name: 'read' | 'create' | 'replace',
    effect: () => T,
  ): Promise<T | { kind: 'failed'; message: string }> {
    if (this.dead) return never();
    this.calls.push(name);
    const fault = this.faults.shift();
    if (fault === 'throws') throw new Error('the client broke');
    await pause(this.#clock, this.#latency());
    if (fault === 'dropped') return { kind: 'failed', message: 'connection refused' };
    if (fault === 'raced' && this.#backend.ledger !== undefined) this.#store(this.#backend.ledger);
    const outcome = effect();
    if (fault === 'hangs') return never();
    await pause(this.#clock, this.#latency());
    if (this.dead) return never();
    return fault === 'lost' ? { kind: 'failed', message: 'connection reset' } : outcome;
  }

  #store(ledger: DisruptionLedger): LedgerWrite {
    const before = this.#backend.ledger;
    this.#backend.ledgerVersion += 1;
    const resourceVersion = String(this.#backend.ledgerVersion);
    const stored = { ...ledger, metadata: { ...ledger.metadata, resourceVersion } };
    this.#backend.ledger = stored;
    this.onWrite(before, stored);
    return { kind: 'stored', ledger: stored };
  }
}

function never<T>(): Promise<T> {
  return new Promise(() => {});
}
