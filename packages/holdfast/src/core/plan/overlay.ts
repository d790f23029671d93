import { askToEvict } from '../drain/evict.ts';
import { bit } from '../health.ts';
import type { Verdict } from '../verdict.ts';
import type { PodRecord } from '../world/pod-record.ts';
import type { World } from '../world/world.ts';

/**
 * The world with some pods on their way out. They are marked as terminating, which is what the engine sees of an evicted pod a
 * moment later; reserving them all at once would count against the size of a ledger, which a drain over minutes never fills.
 */
export class Overlay {
  readonly #world: World;
  readonly #now: number;
  readonly #gone: PodRecord[] = [];

  constructor(world: World, now: number) {
    this.#world = world;
    this.#now = now;
  }

  ask(pod: PodRecord): Verdict {
    return askToEvict(this.#world, pod, this.#now);
  }

  take(pod: PodRecord): void {
    this.#gone.push(pod);
    // A pod that no budget counts costs no budget anything; most pods of most clusters are like that.
    if (pod.pdbs.length + pod.pubs.length + pod.groups.length > 0) this.#mark(pod, pod.bits | bit.terminating);
  }

  get size(): number {
    return this.#gone.length;
  }

  /** Brings back all but the first ones. */
  backTo(size: number): void {
    while (this.#gone.length > size) {
      const pod = this.#gone.pop();
      if (pod?.has(bit.terminating)) this.#mark(pod, pod.bits & ~bit.terminating);
    }
  }

  #mark(pod: PodRecord, bits: number): void {
    this.#world.namespace(pod.namespace)?.recount(pod, () => {
      pod.bits = bits;
    });
  }
}
