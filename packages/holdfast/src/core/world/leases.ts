import { leaseExpiry, type ProbeLease } from '../lease.ts';
import type { PodRecord } from './pod-record.ts';
import { obtain } from './selector-index.ts';

/** Times leases by a clock of its own, and is told of every pod whose probe became fresh or stale. */
export interface LeaseClockDeps {
  /** Milliseconds on a clock that no person sets; the same that `renewedAt` is on. */
  readonly clock: { monotonic(): number };
  readonly changed: (pod: PodRecord) => void;
}

interface Standing {
  readonly expiry: number;
  /** Undefined: it speaks for all pods of its node. */
  readonly pods: ReadonlySet<string> | undefined;
  fresh: boolean;
}

/**
 * Which nodes have a fresh probe lease, for which pods it speaks, and which probed pods depend on it. Time only moves forward
 * here: a lease that was stale once stays so until it is renewed, whatever a clock says later (I4).
 */
export class Leases {
  readonly #leases = new Map<string, Standing>();
  readonly #pods = new Map<string, Set<PodRecord>>();
  #now = Number.NEGATIVE_INFINITY;
  /** No lease expires before this; between two expiries nothing is looked at. */
  #next = Number.POSITIVE_INFINITY;
  readonly #flip: (pod: PodRecord, fresh: boolean) => void;
  #keeper: LeaseClockDeps | undefined;

  constructor(flip: (pod: PodRecord, fresh: boolean) => void) {
    this.#flip = flip;
  }

  keepWith(keeper: LeaseClockDeps): void {
    this.#keeper = keeper;
  }

  speaksFor({ node, uid }: Pick<PodRecord, 'node' | 'uid'>): boolean {
    const lease = node === undefined ? undefined : this.#leases.get(node);
    return lease?.fresh === true && (lease.pods === undefined || lease.pods.has(uid));
  }

  /** The agent of a node renews its lease, whatever that lists. */
  isHeard(node: string | undefined): boolean {
    return node !== undefined && this.#leases.get(node)?.fresh === true;
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
    const before = this.#leases.get(node);
    const after = { expiry, pods: lease.pods, fresh: expiry > this.#now };
    this.#leases.set(node, after);
    this.#next = Math.min(this.#next, expiry);
    // Most renewals change nothing but the time.
    if (before?.fresh !== after.fresh || before.pods !== after.pods) this.#compare(node);
  }

  delete(node: string): void {
    if (this.#leases.delete(node)) this.#compare(node);
  }

  /** @param asked the caller's time; it does not matter where a keeper has a clock */
  advance(asked: number): void {
    const now = this.#keeper?.clock.monotonic() ?? asked;
    if (now <= this.#now) return;
    this.#now = now;
    if (now < this.#next) return;
    this.#next = Number.POSITIVE_INFINITY;
    for (const [node, lease] of this.#leases) {
      if (lease.expiry > now) this.#next = Math.min(this.#next, lease.expiry);
      else if (lease.fresh) {
        lease.fresh = false;
        this.#compare(node);
      }
    }
  }

  /** Tells every pod of a node for which the lease says something else than before. */
  #compare(node: string): void {
    const heard = this.isHeard(node);
    for (const pod of this.#pods.get(node) ?? []) {
      pod.agentHeard = heard;
      const fresh = this.speaksFor(pod);
      if (fresh === pod.fresh) continue;
      this.#flip(pod, fresh);
      this.#keeper?.changed(pod);
    }
  }
}
