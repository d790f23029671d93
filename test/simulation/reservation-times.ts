import type { KubeObject } from '../../packages/embedded-cluster/src/objects.ts';

interface LedgerSpec {
  readonly reservations?: readonly { readonly uid: string; readonly conditional?: boolean }[];
}

/** Since when pods, by uid, are reserved in the ledger. One that a person deleted forgets nothing: replicas remember what it held. */
export class ReservationTimes {
  readonly #now: () => number;
  readonly #all = new Map<string, number>();
  /** Without those that rest on a condition. */
  readonly #firm = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  reservedAt(uid: string): number | undefined {
    return this.#all.get(uid);
  }

  firmSince(): ReadonlyMap<string, number> {
    return new Map(this.#firm);
  }

  wrote(ledger: KubeObject | undefined): void {
    if (ledger === undefined) return;
    const { reservations = [] } = (ledger['spec'] ?? {}) as LedgerSpec;
    this.#note(this.#all, reservations);
    this.#note(
      this.#firm,
      reservations.filter((one) => one.conditional !== true),
    );
  }

  #note(since: Map<string, number>, present: readonly { readonly uid: string }[]): void {
    const uids = new Set(present.map(({ uid }) => uid));
    for (const uid of since.keys()) if (!uids.has(uid)) since.delete(uid);
    for (const uid of uids) if (!since.has(uid)) since.set(uid, this.#now());
  }
}
