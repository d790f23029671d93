import { matches, type Selector } from '../../api/label-selector.ts';
import type { DisruptionLedger, Reservation } from '../../api/ledger.ts';
import type { OwnerReference, StringMap } from '../../api/meta.ts';
import { leaderWorkerSetOf } from '../groups/conventions.ts';
import { bit } from '../health.ts';
import type { OwnerState } from '../owner.ts';
import { GroupRegistry } from './group-registry.ts';
import { LabelPostings } from './label-postings.ts';
import type { Leases } from './leases.ts';
import { chainOf, isDoomed } from './owner-chain.ts';
import { anyUid, nameKeyOf } from './owner-node.ts';
import { type OwnerIdentity, OwnerRegistry } from './owner-registry.ts';
import type { PdbState } from './pdb-state.ts';
import { firmness, type PodRecord } from './pod-record.ts';
import { PubIndex } from './pub-index.ts';
import type { PubState } from './pub-state.ts';
import { SelectorIndex } from './selector-index.ts';
import { difference, nothing, type Share, shareOf } from './share.ts';

const lwsGroup = 'leaderworkerset.x-k8s.io';

/**
 * One namespace. The discipline that keeps every counter true: a pod is *detached* before anything changes that its links or
 * counts are computed from, and *attached* again afterwards. `change` does both; a change of health alone re-counts only.
 */
export class NamespaceState {
  readonly name: string;
  readonly pods = new Map<string, PodRecord>();
  readonly pdbs = new Map<string, PdbState>();
  readonly pubs = new Map<string, PubState>();
  readonly groups = new GroupRegistry();
  readonly owners: OwnerRegistry;
  terminating = false;
  unguarded = false;
  /** Pods with a disruption probe: one of them is a reason to guard the namespace, also where there is no budget. */
  readonly probedPods = new Set<PodRecord>();
  ledger: DisruptionLedger | undefined;
  readonly reservations = new Map<string, Reservation>();

  readonly #pdbIndex = new SelectorIndex<PdbState>();
  readonly #pubIndex: PubIndex;
  readonly #postings: LabelPostings<PodRecord>;
  readonly #leases: Pick<Leases, 'speaksFor' | 'watch' | 'unwatch'>;

  constructor(name: string, leases: Pick<Leases, 'speaksFor' | 'watch' | 'unwatch'>) {
    this.name = name;
    this.#leases = leases;
    this.#postings = new LabelPostings(() => this.pods.values());
    this.owners = new OwnerRegistry((pod) => this.podAsOwner(pod));
    this.#pubIndex = new PubIndex(this.pods, this.#postings, this.owners);
  }

  /** Nothing of the namespace is in view but its ledger, and owners that nothing refers to. */
  get empty(): boolean {
    return this.pods.size + this.pdbs.size + this.pubs.size + this.groups.objects.size === 0;
  }

  /** Takes pods out, changes something, puts back those that still exist. */
  change(pods: Iterable<PodRecord>, mutate: () => void): void {
    const affected = [...pods];
    for (const pod of affected) this.detach(pod);
    mutate();
    for (const pod of affected) if (this.pods.get(pod.name) === pod) this.attach(pod);
    this.sweep();
  }

  /** A change of health alone. */
  recount(pod: PodRecord, mutate: () => void): void {
    const before = shareOf(pod);
    mutate();
    this.#count(pod, difference(before, shareOf(pod)));
  }

  sweep(): void {
    this.groups.sweep();
    this.owners.sweep();
  }

  attach(pod: PodRecord): void {
    this.#attachOwners(pod);
    pod.reserved = firmness(this.reservations.get(pod.uid));
    pod.fresh = this.#leases.speaksFor(pod);
    if (pod.has(bit.probed)) {
      this.probedPods.add(pod);
      this.#leases.watch(pod);
    }
    this.groups.join(pod);
    this.#postings.add(pod);
    pod.pdbs = this.#pdbIndex.find(pod.labels);
    pod.pubs = this.#pubIndex.covering(pod);
    for (const pdb of pod.pdbs) pdb.select(pod);
    for (const pub of pod.pubs) pub.select(pod);
    this.#count(pod, difference(nothing, shareOf(pod)));
  }

  detach(pod: PodRecord): void {
    this.#count(pod, difference(shareOf(pod), nothing));
    for (const pub of pod.pubs) pub.deselect(pod);
    for (const pdb of pod.pdbs) pdb.deselect(pod);
    this.#postings.remove(pod);
    this.groups.leave(pod);
    if (pod.has(bit.probed)) {
      this.probedPods.delete(pod);
      this.#leases.unwatch(pod);
    }
    for (const owner of [pod.controller, pod.root]) {
      owner?.pods.delete(pod);
      if (owner !== undefined) this.owners.release(owner);
    }
    pod.pdbs = [];
    pod.pubs = [];
    pod.controller = undefined;
    pod.root = undefined;
  }

  addPdb(state: PdbState, selector: Selector | undefined): void {
    this.pdbs.set(state.ref.name, state);
    if (selector === undefined) return;
    const anchor = this.#pdbIndex.add(state, selector);
    for (const pod of this.#postings.candidates(anchor)) {
      if (!matches(selector, pod.labels)) continue;
      pod.pdbs.push(state);
      state.select(pod);
      state.count(shareOf(pod));
    }
  }

  removePdb(state: PdbState): void {
    this.pdbs.delete(state.ref.name);
    this.#pdbIndex.remove(state);
    for (const pod of state.pods) pod.pdbs = pod.pdbs.filter((one) => one !== state);
    state.close();
  }

  addPub(state: PubState): void {
    this.pubs.set(state.ref.name, state);
    for (const pod of this.#pubIndex.add(state)) {
      pod.pubs.push(state);
      state.select(pod);
      state.count(pod, shareOf(pod));
    }
  }

  removePub(state: PubState): void {
    this.pubs.delete(state.ref.name);
    this.#pubIndex.remove(state);
    for (const pod of state.pods) pod.pubs = pod.pubs.filter((one) => one !== state);
    state.close();
  }

  /** PodUnavailableBudgets that may turn out to cover a pod, once its owners are looked up. */
  possiblePubs(pod: PodRecord): readonly PubState[] {
    return this.#pubIndex.possible(pod);
  }

  /** The owners that labels and a controller reference name; the root is last. Asking leaves no trace. */
  peekOwners(labels: StringMap, owner: OwnerReference | undefined): readonly OwnerIdentity[] {
    const chain = this.owners.peek(owner);
    const lws = leaderWorkerSetOf(labels);
    return lws === undefined
      ? chain
      : [...chain, { nameKey: nameKeyOf(lwsGroup, 'LeaderWorkerSet', lws), uid: anyUid }];
  }

  /** The pods that carry a label key. */
  podsWithLabel(key: string): Iterable<PodRecord> {
    return this.#postings.candidates({ kind: 'key', key });
  }

  #attachOwners(pod: PodRecord): void {
    pod.controller = pod.owner === undefined ? undefined : this.owners.refer(pod.owner);
    pod.controller?.pods.add(pod);
    const chain = chainOf(pod.controller);
    const lws = leaderWorkerSetOf(pod.labels);
    pod.root = lws === undefined ? chain.at(-1) : this.owners.named(lwsGroup, 'LeaderWorkerSet', lws);
    if (lws !== undefined) pod.root?.pods.add(pod);
    pod.chainOpen = chain.at(-1)?.state === 'unknown';
    pod.doomed = isDoomed(chain, pod.root);
  }

  #count(pod: PodRecord, change: Share | undefined): void {
    if (change === undefined) return;
    for (const group of pod.groups) group.count(change);
    for (const pdb of pod.pdbs) pdb.count(change);
    for (const pub of pod.pubs) pub.count(pod, change);
  }

  podAsOwner(name: string): OwnerState | undefined {
    const pod = this.pods.get(name);
    if (pod === undefined) return undefined;
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: this.name,
      name,
      uid: pod.uid,
      deleting: pod.has(bit.terminating),
      ...(pod.owner === undefined ? {} : { controller: pod.owner }),
    };
  }
}
