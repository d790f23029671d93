import type { LeaseKeeper } from './lease-keeper.ts';

export interface LeaseKeepersOptions {
  /** Leases that are kept whether there is a probed pod or not. */
  readonly always: readonly string[];
  readonly create: (node: string) => LeaseKeeper;
  /** Whether there is a probed pod on a node. */
  readonly hasPods: (node: string) => boolean;
}

/** One keeper for each node. */
export class LeaseKeepers {
  readonly #options: LeaseKeepersOptions;
  readonly #always: ReadonlySet<string>;
  readonly #keepers = new Map<string, LeaseKeeper>();
  readonly #leaving = new Set<LeaseKeeper>();
  #closed = false;

  constructor(options: LeaseKeepersOptions) {
    this.#options = options;
    this.#always = new Set(options.always);
  }

  start(): void {
    for (const node of this.#always) this.#ensure(node);
  }

  /** What there is to say about a node may have changed, also that there is nothing any more. */
  touch(node: string): void {
    if (this.#closed) return;
    if (this.#always.has(node) || this.#options.hasPods(node)) this.#ensure(node).changed();
    else this.#release(node);
  }

  holds(node: string): boolean {
    return this.#keepers.get(node)?.holds ?? false;
  }

  settled(node: string, uid: string, listed: boolean): Promise<void> {
    return this.#keepers.get(node)?.settled(uid, listed) ?? Promise.resolve();
  }

  allHeld(): boolean {
    return [...this.#keepers.values()].every((keeper) => keeper.holds);
  }

  /** The age of the oldest lease; 0 where there are none. */
  oldestMs(): number {
    return Math.max(0, ...[...this.#keepers.values()].map((keeper) => keeper.ageMs));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#keepers.values(), ...this.#leaving].map((keeper) => keeper.close()));
  }

  #ensure(node: string): LeaseKeeper {
    const known = this.#keepers.get(node);
    if (known !== undefined) return known;
    const keeper = this.#options.create(node);
    this.#keepers.set(node, keeper);
    keeper.start();
    return keeper;
  }

  #release(node: string): void {
    const keeper = this.#keepers.get(node);
    if (keeper === undefined) return;
    this.#keepers.delete(node);
    this.#leaving.add(keeper);
    void this.#leave(keeper);
  }

  /** What it listed last must not count for a pod that asks to be probed again soon. */
  async #leave(keeper: LeaseKeeper): Promise<void> {
    await keeper.attempted();
    await keeper.close();
    this.#leaving.delete(keeper);
  }
}
