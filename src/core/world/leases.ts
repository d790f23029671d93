import { leaseExpiry, type ProbeLease } from '../lease.ts';
import type { PodRecord } from './pod-record.ts';
import { obtain } from './selector-index.ts';

/**
 * Which nodes have a fresh probe lease, and which probed pods depend on it. Time only moves forward here: a lease that was
 * stale once stays so until it is renewed, whatever a clock says later (I4).
 */
export class Leases {
  readonly #expiry = new Map<string, number>();
  readonly #fresh = new Set<string>();
  readonly #pods = new Map<string, Set<PodRecord>>();
  #now = Number.NEGATIVE_INFINITY;
  /** No lease expires before this; between two expiries nothing is looked at. */
  #next = Number.POSITIVE_INFINITY;
  readonly #flip: (pod: PodRecord, fresh: boolean) => void;

  constructor(flip: (pod: PodRecord, fresh: boolean) => void) {
    this.#flip = flip;
  }

  isFresh(node: string): boolean {
    return this.#fresh.has(node);
  }

  watch(pod: PodRecord): void {
    if (pod.node !== undefined) obtain(this.#pods, pod.node, () => new Set<PodRecord>()).add(pod);
  }

  unwatch(pod: PodRecord): void {
    if (pod.node === undefined) return;
    const pods = this.#pods.get(pod.node);
    pods?.delete(pod);
    if (pods?.size === 0) this.#pods.delete(pod.node);
  }

  set(node: string, lease: ProbeLease): void {
    const expiry = leaseExpiry(lease);
    this.#expiry.set(node, expiry);
    this.#next = Math.min(this.#next, expiry);
    this.#setFresh(node, expiry > this.#now);
  }

  delete(node: string): void {
    this.#expiry.delete(node);
    this.#setFresh(node, false);
  }

  advance(now: number): void {
    if (now <= this.#now) return;
    this.#now = now;
    if (now < this.#next) return;
    this.#next = Number.POSITIVE_INFINITY;
    for (const [node, expiry] of this.#expiry) {
      if (expiry <= now) this.#setFresh(node, false);
      else this.#next = Math.min(this.#next, expiry);
    }
  }

  #setFresh(node: string, fresh: boolean): void {
    if (fresh === this.#fresh.has(node)) return;
    if (fresh) this.#fresh.add(node);
    else this.#fresh.delete(node);
    for (const pod of this.#pods.get(node) ?? []) this.#flip(pod, fresh);
  }
}
