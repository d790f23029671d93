import { withdraw } from '../../core/ledger/prune.ts';
import type { World } from '../../core/world/world.ts';
import type { Clock } from '../../kube/time/clock.ts';
import type { Random } from '../../kube/time/random.ts';
import { pause } from './deadline.ts';
import type { LedgerAccess } from './ledger.ts';
import { type AdmissionLimits, pauseAfter } from './limits.ts';
import type { NamespaceMutex } from './reserve.ts';

export interface WithdrawalParts {
  readonly world: World;
  readonly access: LedgerAccess;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: AdmissionLimits;
  readonly mutex: NamespaceMutex;
}

/**
 * Takes back what was reserved for requests that were then refused (L7). No request waits for it: what cannot be taken back is
 * released by the leader, about a minute later.
 */
export class Withdrawals {
  readonly #parts: WithdrawalParts;
  /** By namespace: the claims that the next write withdraws. */
  readonly #claims = new Map<string, Set<string>>();

  constructor(parts: WithdrawalParts) {
    this.#parts = parts;
  }

  add(namespace: string, claim: string): void {
    const waiting = this.#claims.get(namespace);
    if (waiting !== undefined) {
      waiting.add(claim);
      return;
    }
    this.#claims.set(namespace, new Set([claim]));
    void this.#parts.mutex.take(namespace, () => this.#withdraw(namespace));
  }

  async #withdraw(namespace: string): Promise<void> {
    const { world, access, clock, limits, random } = this.#parts;
    const claims = this.#claims.get(namespace) ?? new Set();
    this.#claims.delete(namespace);
    for (let attempt = 1; attempt <= limits.maxAttempts; attempt += 1) {
      const known = world.namespace(namespace)?.ledger;
      const next = known === undefined ? undefined : withdraw(known, claims);
      if (next === undefined) return;
      const { kind } = await access.write(namespace, next, 'withdraw');
      if (kind === 'stored' || kind === 'missing') return;
      await pause(clock, pauseAfter(attempt, limits, random()));
      await access.read(namespace);
    }
  }
}
