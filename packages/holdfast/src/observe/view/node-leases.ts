import type { ProbeLease } from '../../core/lease.ts';
import type { BudgetRef } from '../../core/verdict.ts';
import type { World } from '../../core/world/world.ts';
import type { Clock } from '../../kube/time/clock.ts';
import type { Touched } from './touched.ts';
import { budgetsOver } from './touched-budgets.ts';

/** Where the leases of one namespace go. */
export interface LeaseTarget {
  set(node: string, lease: ProbeLease): void;
  /** The node has a lease that confirms no pod. */
  silence(node: string): void;
  delete(node: string): void;
}

export interface NodeLeasesParts {
  readonly world: World;
  readonly touched: Touched;
  readonly clock: Clock;
  /** Told of the lease that counts for a node, with each renewal; undefined: none does. */
  readonly seen?: (node: string, lease: ProbeLease | undefined) => void;
}

/**
 * Chooses one lease for each node. During an upgrade a node may have two: agents of the earlier version keep theirs in the operator's namespace. As
 * soon as the new agent has written its lease, the former lease is ignored, even if the new one lists no pod: the former agent's "disruptable" may
 * be seconds old, and the new agent's silence is newer.
 */
export class NodeLeases {
  readonly #world: World;
  readonly #own = new Map<string, ProbeLease | 'silent'>();
  readonly #former = new Map<string, ProbeLease>();
  readonly #seen: NodeLeasesParts['seen'];
  readonly own: LeaseTarget;
  readonly former: LeaseTarget;

  constructor({ world, touched, clock, seen }: NodeLeasesParts) {
    this.#world = world;
    this.#seen = seen;
    this.own = this.#target(
      (node, lease) => this.#own.set(node, lease ?? 'silent'),
      (node) => this.#own.delete(node),
    );
    this.former = this.#target(
      (node, lease) => (lease === undefined ? this.#former.delete(node) : this.#former.set(node, lease)),
      (node) => this.#former.delete(node),
    );
    world.keepLeases({
      clock,
      changed: (pod) => {
        const refs = new Set<BudgetRef>();
        budgetsOver(pod, refs);
        if (refs.size > 0) touched.budgets(refs);
      },
    });
  }

  #target(keep: (node: string, lease: ProbeLease | undefined) => void, forget: (node: string) => void): LeaseTarget {
    const settled = (change: () => void, node: string) => {
      change();
      this.#settle(node);
    };
    return {
      set: (node, lease) => settled(() => keep(node, lease), node),
      silence: (node) => settled(() => keep(node, undefined), node),
      delete: (node) => settled(() => forget(node), node),
    };
  }

  #settle(node: string): void {
    const own = this.#own.get(node);
    const lease = own === undefined ? this.#former.get(node) : own === 'silent' ? undefined : own;
    if (lease === undefined) this.#world.deleteProbeLease(node);
    else this.#world.setProbeLease(node, lease);
    this.#seen?.(node, lease);
  }
}
