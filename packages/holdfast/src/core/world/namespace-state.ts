import { matches, type Selector } from '@holdfast/base/labels/label-selector';
import type { OwnerReference, StringMap } from '@holdfast/base/meta';
import type { DisruptionLedger, Reservation } from '../../api/ledger.ts';
import { labelledOwnerOf } from '../groups/labelled-owner.ts';
import { bit } from '../health.ts';
import type { OwnerState } from '../owner.ts';
import { type CrowdedBudget, Crowding, maxBudgetsPerPod } from './crowding.ts';
import { Entanglement } from './entanglement.ts';
import { GroupRegistry } from './group-registry.ts';
import { LabelPostings } from './label-postings.ts';
import type { Leases } from './leases.ts';
import { chainOf, isDoomed, isTakenAlong } from './owners/owner-chain.ts';
import { anyUid, nameKeyOf } from './owners/owner-node.ts';
import { type OwnerIdentity, OwnerRegistry } from './owners/owner-registry.ts';
import type { PdbState } from './pdb-state.ts';
import { difference, firmness, nothing, type PodRecord, type Share, shareOf } from './pod-record.ts';
import { PubIndex } from './pub/pub-index.ts';
import type { PubState } from './pub/pub-state.ts';
import { SelectorIndex } from './selector-index.ts';

type PodLeases = Pick<Leases, 'speaksFor' | 'isHeard' | 'watch' | 'unwatch'>;

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

  readonly #entanglement = new Entanglement();
  readonly #pdbIndex = new SelectorIndex<PdbState>();
  readonly #pubIndex: PubIndex;
  readonly #postings: LabelPostings<PodRecord>;
  readonly #crowding = new Crowding();
  readonly #leases: PodLeases;

  constructor(name: string, leases: PodLeases) {
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
    pod.agentHeard = this.#leases.isHeard(pod.node);
    if (pod.has(bit.probed)) {
      this.probedPods.add(pod);
      this.#leases.watch(pod);
    }
    this.groups.join(pod);
    this.#postings.add(pod);
    this.#link(pod, this.#pdbIndex.find(pod.labels), this.#pubIndex.covering(pod));
    this.#count(pod, difference(nothing, shareOf(pod)));
  }

  #link(pod: PodRecord, pdbs: PdbState[], pubs: PubState[]): void {
    if (pdbs.length + pubs.length > maxBudgetsPerPod) {
      this.#crowding.enter(pod, [...pdbs, ...pubs]);
      return;
    }
    pod.pdbs = pdbs;
    pod.pubs = pubs;
    this.#entanglement.link(pod);
    for (const pdb of pdbs) this.#remode(pdb, () => pdb.select(pod));
    for (const pub of pubs) pub.select(pod);
  }

  detach(pod: PodRecord): void {
    this.#count(pod, difference(shareOf(pod), nothing));
    if (pod.crowdedBy > 0) {
      this.#crowding.leave(pod, [...this.#pdbIndex.find(pod.labels), ...this.#pubIndex.covering(pod)]);
    }
    for (const pub of pod.pubs) pub.deselect(pod);
    for (const pdb of pod.pdbs) this.#remode(pdb, () => pdb.deselect(pod));
    this.#entanglement.unlink(pod);
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
    const covered = [...this.#postings.candidates(anchor)].filter((pod) => matches(selector, pod.labels));
    for (const pod of this.#withRoom(state, covered)) {
      pod.pdbs.push(state);
      this.#entanglement.join(pod, state);
      state.select(pod);
      state.count(pod, shareOf(pod));
    }
    this.#entanglement.forget();
  }

  /** Those of the pods that a new budget can be linked to. The others have too many: from now on, or since before (N7). */
  #withRoom(budget: CrowdedBudget, covered: readonly PodRecord[]): readonly PodRecord[] {
    const crowded = covered.filter((pod) => pod.crowdedBy > 0);
    for (const pod of crowded) this.#crowding.join(pod, budget);
    const isFull = (pod: PodRecord): boolean => pod.pdbs.length + pod.pubs.length >= maxBudgetsPerPod;
    const full = covered.filter((pod) => pod.crowdedBy === 0 && isFull(pod));
    if (full.length > 0) this.change(full, () => {});
    return covered.filter((pod) => pod.crowdedBy === 0);
  }

  removePdb(state: PdbState): void {
    this.pdbs.delete(state.ref.name);
    const selector = this.#pdbIndex.selectorOf(state);
    const covers = (pod: PodRecord): boolean => selector !== undefined && matches(selector, pod.labels);
    this.change(this.#crowding.drop(covers), () => this.#pdbIndex.remove(state));
    for (const pod of state.pods) {
      this.#entanglement.part(pod, state, () => {
        pod.pdbs = pod.pdbs.filter((one) => one !== state);
      });
    }
    state.close();
    this.#entanglement.forget();
  }

  addPub(state: PubState): void {
    this.pubs.set(state.ref.name, state);
    for (const pod of this.#withRoom(state, [...this.#pubIndex.add(state)])) {
      pod.pubs.push(state);
      this.#entanglement.join(pod, state);
      state.select(pod);
      state.count(pod, shareOf(pod));
    }
  }

  removePub(state: PubState): void {
    this.pubs.delete(state.ref.name);
    this.change(
      this.#crowding.drop((pod) => this.#pubIndex.covers(state, pod)),
      () => this.#pubIndex.remove(state),
    );
    for (const pod of state.pods) {
      this.#entanglement.part(pod, state, () => {
        pod.pubs = pod.pubs.filter((one) => one !== state);
      });
    }
    state.close();
  }

  /** All that cover a pod, also one that has too many to be linked to them. */
  pubsOver(pod: PodRecord): readonly PubState[] {
    return pod.crowdedBy > 0 ? this.#pubIndex.covering(pod) : pod.pubs;
  }

  /** Whether we judge the evictions of a plain PDB's pods (P2). */
  judgesPlain(pdb: PdbState): boolean {
    return this.#entanglement.isJudged(pdb, this);
  }

  /** PodUnavailableBudgets that may turn out to cover a pod, once its owners are looked up. */
  possiblePubs(pod: PodRecord): readonly PubState[] {
    return pod.chainOpen ? this.#pubIndex.possible(pod) : [];
  }

  /** The owners that labels and a controller reference name; the root is last. Asking leaves no trace. */
  peekOwners(labels: StringMap, owner: OwnerReference | undefined): readonly OwnerIdentity[] {
    const chain = this.owners.peek(owner);
    const root = labelledOwnerOf(labels, chain.at(-1));
    if (root === undefined) return chain;
    const { group, kind, name } = root;
    return [...chain, { group, kind, nameKey: nameKeyOf(group, kind, name), uid: anyUid }];
  }

  /** The pods that carry a label key. */
  podsWithLabel(key: string): Iterable<PodRecord> {
    return this.#postings.candidates({ kind: 'key', key });
  }

  /** A pod comes or goes, and with it perhaps the mode of a budget, or a group that the budget reaches. */
  #remode(pdb: PdbState, mutate: () => void): void {
    const { mode, units } = pdb;
    const reached = units.size;
    mutate();
    if (pdb.mode !== mode || units.size !== reached) this.#entanglement.forget();
  }

  #attachOwners(pod: PodRecord): void {
    pod.controller = pod.owner === undefined ? undefined : this.owners.refer(pod.owner);
    pod.controller?.pods.add(pod);
    const chain = chainOf(pod.controller);
    const labelled = labelledOwnerOf(pod.labels, chain.at(-1));
    pod.root = labelled === undefined ? chain.at(-1) : this.owners.named(labelled.group, labelled.kind, labelled.name);
    if (labelled !== undefined) pod.root?.pods.add(pod);
    pod.chainOpen = chain.at(-1)?.state === 'unknown';
    pod.doomed = isDoomed(chain, pod.root);
    pod.idle = pod.doomed && !isTakenAlong(chain);
  }

  #count(pod: PodRecord, change: Share | undefined): void {
    if (change === undefined) return;
    for (const group of pod.groups) group.count(change);
    for (const pdb of pod.pdbs) pdb.count(pod, change);
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
      deleting: pod.has(bit.terminating) && !pod.has(bit.orphaning),
      orphaning: pod.has(bit.orphaning),
      ...(pod.owner === undefined ? {} : { controller: pod.owner }),
    };
  }
}

/** The ledger as it was last read or written. It undoes reservations that were made in memory only, by a batch that lost its race. */
export function setReservations(state: NamespaceState, ledger: DisruptionLedger): void {
  const { sizes = [] } = ledger.spec ?? {};
  const hadSizes = (state.ledger?.spec?.sizes ?? []).length > 0;
  state.ledger = ledger;
  if (sizes.length > 0 || hadSizes) state.groups.setKeptSizes(new Map(sizes.map(({ group, size }) => [group, size])));
  const next = new Map((ledger.spec?.reservations ?? []).map((one) => [one.uid, one]));
  for (const [uid, reservation] of state.reservations) if (!next.has(uid)) unreserve(state, reservation);
  for (const reservation of next.values()) reserve(state, reservation);
}

export function reserve(state: NamespaceState, reservation: Reservation): void {
  const present = state.reservations.get(reservation.uid);
  state.reservations.set(reservation.uid, reservation);
  if (firmness(present) !== firmness(reservation)) mark(state, reservation, firmness(reservation));
}

export function unreserve(state: NamespaceState, reservation: Reservation): void {
  state.reservations.delete(reservation.uid);
  mark(state, reservation, undefined);
}

function mark(state: NamespaceState, { pod, uid }: Reservation, reserved: PodRecord['reserved']): void {
  const record = state.pods.get(pod);
  if (record === undefined || record.uid !== uid) return;
  state.recount(record, () => {
    record.reserved = reserved;
  });
}
