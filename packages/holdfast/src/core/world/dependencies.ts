import type { OwnerNode } from './owners/owner-node.ts';
import type { OwnerRegistry } from './owners/owner-registry.ts';

/** The owners that a budget's expected number was computed from. They notify it when they change; it then forgets them and computes the number again. */
export class Dependencies {
  readonly #owners = new Set<OwnerNode>();
  readonly #registry: OwnerRegistry;
  readonly #budget: { expectedChanged(): void };

  constructor(registry: OwnerRegistry, budget: { expectedChanged(): void }) {
    this.#registry = registry;
    this.#budget = budget;
  }

  add(owner: OwnerNode): void {
    this.#owners.add(owner);
    owner.dependents.add(this.#budget);
  }

  owners(): Iterable<OwnerNode> {
    return this.#owners;
  }

  clear(): void {
    for (const owner of this.#owners) {
      owner.dependents.delete(this.#budget);
      this.#registry.release(owner);
    }
    this.#owners.clear();
  }
}
