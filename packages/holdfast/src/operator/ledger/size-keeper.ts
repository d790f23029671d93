import type { DisruptionLedger } from '../../api/ledger.ts';
import {
  defaultSizeLimits,
  keepSizes,
  type SizeLimits,
  type SizesOutcome,
  type SmallerSeen,
} from '../../core/ledger/sizes.ts';
import type { BudgetRef } from '../../core/verdict.ts';
import type { World } from '../../core/world/world.ts';
import type { Clock, Timer } from '../../kube/time/clock.ts';
import type { Touched } from '../../observe/view/touched.ts';
import type { LedgerAccess } from '../admission/ledger.ts';
import type { NamespaceMutex } from '../admission/reserve.ts';

export interface SizeKeeperLimits extends SizeLimits {
  /** How long after a change the groups of a namespace are looked at: looking costs as much as there are pods in groups. */
  readonly gatherMs: number;
  /** How long to wait after a write that failed or lost a race. */
  readonly retryMs: number;
}

export const defaultSizeKeeperLimits: SizeKeeperLimits = { ...defaultSizeLimits, gatherMs: 500, retryMs: 1_000 };

interface SizeKeeperParts {
  readonly world: World;
  readonly access: LedgerAccess;
  /** Shared with the ledger service and the pruner of this process. */
  readonly mutex: NamespaceMutex;
  readonly clock: Clock;
  readonly limits: SizeKeeperLimits;
}

/** Keeps the sizes of groups in the ledgers (G5). Only the leader writes them; every replica reads them. */
export class SizeKeeper implements Touched {
  readonly #parts: SizeKeeperParts;
  readonly #timers = new Map<string, Timer>();
  /** By namespace. */
  readonly #seen = new Map<string, SmallerSeen>();
  #leads = false;

  constructor(parts: SizeKeeperParts) {
    this.#parts = parts;
  }

  lead(): void {
    this.#leads = true;
    for (const { name } of this.#parts.world.namespaces()) this.namespace(name);
  }

  resign(): void {
    this.#leads = false;
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    this.#seen.clear();
  }

  budgets(refs: Iterable<BudgetRef>): void {
    for (const { namespace } of refs) this.namespace(namespace);
  }

  namespace(name: string): void {
    this.#plan(name, this.#parts.limits.gatherMs);
  }

  #plan(namespace: string, delayMs: number): void {
    const { clock, mutex, world } = this.#parts;
    if (!this.#leads || this.#timers.has(namespace) || (world.namespace(namespace)?.pdbs.size ?? 0) === 0) return;
    const timer = clock.after(delayMs, () => {
      this.#timers.delete(namespace);
      void mutex.take(namespace, () => this.#look(namespace));
    });
    this.#timers.set(namespace, timer);
  }

  async #look(namespace: string): Promise<void> {
    const { limits } = this.#parts;
    const outcome = this.#sizes(namespace);
    if (!this.#leads || outcome === undefined) return;
    const stored = outcome.ledger === undefined || (await this.#write(namespace));
    // What was seen before is needed until the size that rests on it is written.
    if (stored) this.#seen.set(namespace, outcome.seen);
    if (!stored) this.#plan(namespace, limits.retryMs);
    else if (outcome.seen.size > 0) this.#plan(namespace, limits.settleMs);
  }

  /** Undefined: the namespace is going, or left alone. */
  #sizes(namespace: string): SizesOutcome | undefined {
    const { world, clock, limits } = this.#parts;
    const state = world.namespace(namespace);
    if (state === undefined || state.terminating || state.unguarded) return undefined;
    const ledger: DisruptionLedger = state.ledger ?? { metadata: { name: '' } };
    const look = { now: clock.now(), uptime: clock.monotonic(), seen: this.#seen.get(namespace) ?? new Map(), limits };
    return keepSizes(state, ledger, look);
  }

  /** A namespace without a ledger gets one. After a lost race it is computed again, from the ledger that won. */
  async #write(namespace: string): Promise<boolean> {
    const { access } = this.#parts;
    if (access.version(namespace) === undefined) {
      const read = await access.read(namespace);
      if (read.kind === 'failed') return false;
      if (read.kind === 'missing') access.assume(namespace);
    }
    const ledger = this.#sizes(namespace)?.ledger;
    if (ledger === undefined) return true;
    const written = await access.write(namespace, ledger, 'sizes');
    if (written.kind !== 'stored') await access.read(namespace);
    return written.kind === 'stored';
  }
}
