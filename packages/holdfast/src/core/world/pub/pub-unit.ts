import { atMost, type Bounds, exactly, MaxTracker } from '../group-node.ts';
import type { OwnerNode } from '../owners/owner-node.ts';
import type { PodRecord, Share, Strength } from '../pod-record.ts';

/** A group of a PodUnavailableBudget: selected pods with one label value under one root owner. */
export class PubUnit {
  readonly key: string;
  readonly display: string;
  readonly root: OwnerNode | undefined;
  readonly pods = new Set<PodRecord>();
  /** Neither terminating nor finished. */
  live = 0;
  /** Not finished, and not going with its owner. */
  existing = 0;
  healthy = 0;
  /** Ready or healthy (H5). */
  serving = 0;
  /** Healthy pods, and serving ones, that count as gone, and may turn out to stay (N6). */
  unproven = 0;
  unprovenServing = 0;
  /** Pods that run, and healthy ones of which a disruption is reserved. */
  able = 0;
  reserved = 0;
  /** Healthy pods of a workload that is scaled to 0: they show in the status, and count for no verdict. */
  idle = 0;
  /** The groups that its pods say they are in, with how many say so, and the sizes that they state for them. */
  readonly #claims = new Map<string, number>();
  readonly #sizes = new MaxTracker();

  constructor(key: string, display: string, root: OwnerNode | undefined) {
    this.key = key;
    this.display = display;
    this.root = root;
  }

  enter(pod: PodRecord): void {
    this.pods.add(pod);
    for (const { id, size } of pod.claims) {
      if (size === undefined) continue;
      this.#claims.set(id, (this.#claims.get(id) ?? 0) + 1);
      this.#sizes.add(size);
    }
  }

  leave(pod: PodRecord): void {
    this.pods.delete(pod);
    for (const { id, size } of pod.claims) {
      if (size === undefined) continue;
      const count = (this.#claims.get(id) ?? 0) - 1;
      if (count > 0) this.#claims.set(id, count);
      else this.#claims.delete(id);
      this.#sizes.remove(size);
    }
  }

  count(change: Share, strength: Strength, idle: number): void {
    this.live += change.live;
    this.healthy += strength.healthy;
    this.serving += strength.serving;
    this.unproven += strength.unproven;
    this.unprovenServing += strength.unprovenServing;
    this.able += strength.able;
    this.reserved += strength.reserved;
    this.idle += idle;
  }

  /** The size that its pods state. A label that joins several groups makes a unit of which no pod states the size. */
  get statedSize(): number | undefined {
    return this.#claims.size === 1 ? this.#sizes.max : undefined;
  }
}

/**
 * The minimum of a unit whose stated size is smaller than `minReadyReplicas`, or of a budget of which no unit has as many pods:
 * the whole unit, so that a mistake in the budget does not set every pod free. Where nothing states the size, it is between the
 * pods that live and those that its owner would still create (undefined: nothing says how many).
 */
export function boundsOf(
  unit: PubUnit,
  minReady: number,
  reachable: boolean,
  missingOfOwner: () => number | undefined,
): Bounds {
  const size = unit.statedSize;
  if (size !== undefined) return exactly(Math.min(minReady, size));
  if (reachable) return exactly(minReady);
  const missing = missingOfOwner();
  const largest = missing === undefined ? Math.max(unit.live, unit.existing) : unit.live + missing;
  return { least: atMost(unit.live, minReady), enough: atMost(largest, minReady) };
}
