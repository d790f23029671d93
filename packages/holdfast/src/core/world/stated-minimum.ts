import { atMost, type Bounds, exactly, type GroupNode, MaxTracker } from './group-node.ts';
import { podCounter } from './owners/owner-chain.ts';
import type { OwnerNode } from './owners/owner-node.ts';

/**
 * The number of pods per group that a PodDisruptionBudget states (`holdfast.dev/group-min-available`). Taken at its word, a number that
 * no group can reach makes every group down, and under AlwaysAllow the pods of all of them free. So it is at most the size that the pods
 * state; where nothing states a size, and no group has as many pods, a group counts as available only when its owner shows that it is
 * whole, and as down only when it has pods that do not serve (G5).
 */
export class StatedMinimum {
  readonly count: number;
  readonly #dependsOn: (owner: OwnerNode) => void;
  /** The live pods that each group had when it was last counted. */
  readonly #live = new Map<GroupNode, number>();
  /** Of all groups: while one has as many live pods, the number can be reached. */
  readonly #sizes = new MaxTracker();
  /** Groups that are available because they are whole, where no group reaches the number. */
  #whole: number | undefined;
  /** The live pods of the groups by root owner. */
  #liveByRoot: ReadonlyMap<OwnerNode, number> | undefined;

  constructor(count: number, dependsOn: (owner: OwnerNode) => void) {
    this.count = count;
    this.#dependsOn = dependsOn;
  }

  set(group: GroupNode): void {
    this.#sizes.remove(this.#live.get(group));
    this.#live.set(group, group.live);
    this.#sizes.add(group.live);
    this.ownersChanged();
  }

  delete(group: GroupNode): void {
    this.#sizes.remove(this.#live.get(group));
    this.#live.delete(group);
    this.ownersChanged();
  }

  ownersChanged(): void {
    this.#whole = undefined;
    this.#liveByRoot = undefined;
  }

  /** With as many pods a group is available, whatever other groups have. */
  certainFor(group: GroupNode): number {
    return Math.min(this.count, group.sizes.max ?? this.count);
  }

  boundsOf(group: GroupNode): Bounds {
    if (group.sizes.max !== undefined || this.isReached) return exactly(this.certainFor(group));
    const missing = this.#missingOf(group);
    const enough = missing === undefined ? this.count : atMost(group.live + missing, this.count);
    return { least: atMost(group.live, this.count), enough };
  }

  /** The groups that are available by their bounds, and not by the number itself. */
  wholeGroups(): number {
    if (this.isReached) return 0;
    this.#whole ??= [...this.#live.keys()].filter(
      (group) => group.sizes.max === undefined && group.healthy >= this.boundsOf(group).enough,
    ).length;
    return this.#whole;
  }

  /** Some group has as many live pods as the number. */
  get isReached(): boolean {
    return (this.#sizes.max ?? 0) >= this.count;
  }

  /** How many pods the owner of a group would still create; undefined where nothing says how many it wants. */
  #missingOf(group: GroupNode): number | undefined {
    const [root] = group.roots.keys();
    if (root === undefined || group.roots.size > 1) return undefined;
    this.#dependsOn(root);
    if (root.state !== 'known' || root.deleting || root.countsGroups || root.replicas === undefined) return undefined;
    // The scale of an owner of owners need not count pods.
    if ([...group.pods].some((pod) => podCounter(pod.controller) !== root)) return undefined;
    this.#liveByRoot ??= liveByRoot(this.#live.keys());
    return Math.max(0, root.replicas - (this.#liveByRoot.get(root) ?? 0));
  }
}

/** Pods of an owner that are in no group of the budget are left out: they may be members that have no label yet. */
function liveByRoot(groups: Iterable<GroupNode>): ReadonlyMap<OwnerNode, number> {
  const sums = new Map<OwnerNode, number>();
  for (const group of groups) {
    const [root] = group.roots.keys();
    if (root !== undefined && group.roots.size === 1) sums.set(root, (sums.get(root) ?? 0) + group.live);
  }
  return sums;
}
