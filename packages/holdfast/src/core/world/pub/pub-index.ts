import { matches } from '@holdfast/base/labels/label-selector';
import type { LabelPostings } from '../label-postings.ts';
import { chainOf, podsBelow } from '../owners/owner-chain.ts';
import type { OwnerNode } from '../owners/owner-node.ts';
import type { OwnerRegistry } from '../owners/owner-registry.ts';
import type { PodRecord } from '../pod-record.ts';
import { obtain, SelectorIndex } from '../selector-index.ts';
import type { PubState } from './pub-state.ts';

/** Which PodUnavailableBudgets cover which pods: by selector, by the workload they name, or, unreadable, perhaps any (U1, U7). */
export class PubIndex {
  readonly #bySelector = new SelectorIndex<PubState>();
  readonly #byTarget = new Map<string, Set<PubState>>();
  readonly #everywhere = new Set<PubState>();
  readonly #pods: ReadonlyMap<string, PodRecord>;
  readonly #postings: LabelPostings<PodRecord>;
  readonly #owners: OwnerRegistry;

  constructor(pods: ReadonlyMap<string, PodRecord>, postings: LabelPostings<PodRecord>, owners: OwnerRegistry) {
    this.#pods = pods;
    this.#postings = postings;
    this.#owners = owners;
  }

  /** Files a budget, and returns the pods it covers. */
  add(pub: PubState): Iterable<PodRecord> {
    const { target } = pub;
    if (target === undefined) {
      this.#everywhere.add(pub);
      return this.#pods.values();
    }
    if (target.kind === 'nothing') return [];
    if (target.kind === 'workload') return this.#addTarget(pub, pub.targetOwner);
    const anchor = this.#bySelector.add(pub, target.selector);
    return [...this.#postings.candidates(anchor)].filter((pod) => matches(target.selector, pod.labels));
  }

  #addTarget(pub: PubState, owner: OwnerNode | undefined): Iterable<PodRecord> {
    if (owner === undefined) return [];
    obtain(this.#byTarget, owner.nameKey, () => new Set<PubState>()).add(pub);
    const below = new Set<PodRecord>();
    for (const node of this.#owners.sharing(owner)) podsBelow(node, below);
    // Below a root that only a label names there are pods whose own chain of owners does not lead here.
    return [...below].filter((pod) => ownersOf(pod).some((one) => one.nameKey === owner.nameKey));
  }

  remove(pub: PubState): void {
    this.#bySelector.remove(pub);
    this.#everywhere.delete(pub);
    const key = pub.targetOwner?.nameKey ?? '';
    const named = this.#byTarget.get(key);
    named?.delete(pub);
    if (named?.size === 0) this.#byTarget.delete(key);
  }

  covers(pub: PubState, pod: PodRecord): boolean {
    const { target } = pub;
    if (target === undefined) return this.#everywhere.has(pub);
    if (target.kind === 'selector') return matches(target.selector, pod.labels);
    return target.kind === 'workload' && ownersOf(pod).some(({ nameKey }) => nameKey === pub.targetOwner?.nameKey);
  }

  covering(pod: PodRecord): PubState[] {
    const found = new Set([...this.#bySelector.find(pod.labels), ...this.#everywhere]);
    if (this.#byTarget.size > 0) {
      for (const owner of ownersOf(pod)) for (const pub of this.#byTarget.get(owner.nameKey) ?? []) found.add(pub);
    }
    return [...found];
  }

  /** Budgets with a target that a pod with an open chain of owners may turn out to belong to (I4). */
  possible(pod: PodRecord): readonly PubState[] {
    return [...this.#byTarget.values()].flatMap((set) => [...set]).filter((pub) => !pod.pubs.includes(pub));
  }
}

function ownersOf(pod: PodRecord): readonly OwnerNode[] {
  const chain = chainOf(pod.controller);
  return pod.root === undefined || chain.includes(pod.root) ? chain : [...chain, pod.root];
}
