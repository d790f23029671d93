import type { Namespace } from '@holdfast/base/meta';
import type { DisruptionLedger, Reservation } from '../../api/ledger.ts';
import { label } from '../../api/names.ts';
import type { PodDisruptionBudget } from '../../api/pdb.ts';
import type { Pod } from '../../api/pod.ts';
import type { PodUnavailableBudget } from '../../api/pub/pub.ts';
import type { PodGroup, Workload } from '../../api/workload.ts';
import { bit } from '../health.ts';
import type { ProbeLease } from '../lease.ts';
import type { OwnerMemory, OwnerName, OwnerState } from '../owner.ts';
import { isAtLeast } from '../resource-version.ts';
import type { Collection } from '../sync.ts';
import { setPdb, setPub } from './budgets.ts';
import { setPodGroup, setWorkload } from './group-descriptions.ts';
import { type LeaseClockDeps, Leases } from './leases.ts';
import { NamespaceRecords, type NamespaceState } from './namespace-state.ts';
import { nameOf, type OwnerNode } from './owners/owner-node.ts';
import { beginLookup, endLookup, type OpenLookup, observeOwner } from './owners/owners.ts';
import type { PodRecord } from './pod-record.ts';
import { removePod, setPod } from './pods.ts';

/** So many deleted namespaces are remembered by name; late news come within seconds, and no cluster deletes as many in that time. */
const maxDeleted = 10_000;

/**
 * What is known of a cluster, kept current change by change. Adding or changing a pod costs as much as there are budgets over
 * it; nothing looks at all pods again. There is no clock in here: callers pass the time. Its methods are the only way to change
 * what is known; what they return is read-only.
 */
export class World {
  readonly #namespaces = new Map<string, NamespaceRecords>();
  /** Namespaces that were deleted: what is heard of them later is old, unless they are created again. */
  readonly #deleted = new Set<string>();
  readonly #synced = new Map<Collection, string>();
  readonly #changed = new Map<Collection, string>();
  #ownerMemory: OwnerMemory | undefined;
  readonly #leases = new Leases((pod, fresh) =>
    this.#obtain(pod.namespace).recount(pod, (writable) => {
      writable.fresh = fresh;
    }),
  );

  /** Questions of the kind "what if". They leave the world as it was. */
  readonly suppose = new Suppositions((namespace) => this.#namespaces.get(namespace));

  upsertPod(pod: Pod): void {
    setPod(this.#obtain(pod.metadata.namespace ?? ''), pod);
  }

  deletePod(namespace: string, name: string): void {
    this.#shrink(namespace, (state) => removePod(state, name));
  }

  upsertPdb(pdb: PodDisruptionBudget): void {
    setPdb(this.#obtain(pdb.metadata.namespace ?? ''), pdb.metadata.name, pdb);
  }

  deletePdb(namespace: string, name: string): void {
    this.#shrink(namespace, (state) => setPdb(state, name, undefined));
  }

  upsertPub(pub: PodUnavailableBudget): void {
    setPub(this.#obtain(pub.metadata.namespace ?? ''), pub.metadata.name, pub);
  }

  deletePub(namespace: string, name: string): void {
    this.#shrink(namespace, (state) => setPub(state, name, undefined));
  }

  upsertWorkload(workload: Workload): void {
    setWorkload(this.#obtain(workload.metadata.namespace ?? ''), workload.metadata.name, workload);
  }

  deleteWorkload(namespace: string, name: string): void {
    this.#shrink(namespace, (state) => setWorkload(state, name, undefined));
  }

  upsertPodGroup(podGroup: PodGroup): void {
    setPodGroup(this.#obtain(podGroup.metadata.namespace ?? ''), podGroup.apiVersion, podGroup.metadata.name, podGroup);
  }

  deletePodGroup(apiVersion: string, namespace: string, name: string): void {
    this.#shrink(namespace, (state) => setPodGroup(state, apiVersion, name, undefined));
  }

  /** A look-up made just now found it: other owners of its name are gone. */
  setOwner(owner: OwnerState): void {
    this.endLookup(this.beginLookup(owner), owner);
  }

  /** A look-up made just now found nothing. */
  setOwnerGone(name: OwnerName): void {
    this.endLookup(this.beginLookup(name), undefined);
  }

  /** What a watch shows of an owner. True when that changes anything. */
  observeOwner(owner: OwnerState): boolean {
    return this.#change(owner.namespace, (state) => observeOwner(state, owner));
  }

  /** To be called before an owner is looked up. */
  beginLookup(name: OwnerName): OpenLookup {
    return this.#change(name.namespace, (state) => beginLookup(state, name));
  }

  /** Says whether everything of that name is settled; otherwise it has to be looked up again. */
  endLookup(lookup: OpenLookup, found: OwnerState | undefined): boolean {
    return this.#change(lookup.name.namespace, (state) => endLookup(state, lookup, found));
  }

  /** From now on new owners are looked for there first, and the world forgets owners that no pod refers to. */
  consultOwners(memory: OwnerMemory): void {
    this.#ownerMemory = memory;
    for (const state of this.#namespaces.values()) this.#consult(state, memory);
  }

  /** The owners of a name that pods or owners refer to. */
  ownersOf(name: OwnerName): readonly Readonly<OwnerNode>[] {
    return this.#namespaces.get(name.namespace)?.owners.nodesOf(name) ?? [];
  }

  /** Owners that are referred to and were not looked up yet: the feeder of the world should look them up. */
  *unknownOwners(): Iterable<OwnerName & { readonly uid: string }> {
    for (const state of this.#namespaces.values()) {
      for (const node of state.owners.unknown()) yield nameOf(state.name, node);
    }
  }

  setNamespace(namespace: Namespace): void {
    this.#deleted.delete(namespace.metadata.name);
    const state = this.#obtain(namespace.metadata.name);
    state.terminating = namespace.metadata.deletionTimestamp !== undefined || namespace.status?.phase === 'Terminating';
    state.unguarded = namespace.metadata.labels?.[label.guard] === 'disabled';
  }

  /** What is left of it in view is forgotten with the last of its pods and budgets: other views may lag behind that of namespaces. */
  deleteNamespace(name: string): void {
    const state = this.#namespaces.get(name);
    this.#deleted.add(name);
    if (this.#deleted.size > maxDeleted) for (const first of this.#deleted) if (this.#deleted.delete(first)) break;
    if (state === undefined) return;
    state.terminating = true;
    state.unguarded = false;
    this.#release(state);
  }

  setProbeLease(node: string, lease: ProbeLease): void {
    this.#leases.set(node, lease);
  }

  deleteProbeLease(node: string): void {
    this.#leases.delete(node);
  }

  setLedger(namespace: string, ledger: DisruptionLedger): void {
    this.#change(namespace, (state) => state.setLedger(ledger));
  }

  /**
   * Takes a ledger in unless a newer one is known. Ledgers come from three sides (our writes, our reads, the watch), in no order: the
   * watch may bring a version that our own write has replaced since, and judging by that would forget what was just reserved.
   */
  acceptLedger(namespace: string, ledger: DisruptionLedger): boolean {
    const known = this.namespace(namespace)?.ledger?.metadata.resourceVersion;
    const offered = ledger.metadata.resourceVersion;
    if (known !== undefined && (offered === undefined || !isAtLeast(offered, known))) return false;
    if (known === undefined || known !== offered) this.setLedger(namespace, ledger);
    return true;
  }

  /** The collection was seen whole, and everything up to this resourceVersion, at which something changed, is in the world. */
  setSynced(collection: Collection, resourceVersion: string): void {
    this.#synced.set(collection, resourceVersion);
    this.#changed.set(collection, resourceVersion);
  }

  /** A bookmark: nothing has changed up to this resourceVersion. */
  setUnchanged(collection: Collection, resourceVersion: string): void {
    this.#synced.set(collection, resourceVersion);
  }

  syncedVersion(collection: Collection): string | undefined {
    return this.#synced.get(collection);
  }

  /**
   * The version of the last change in view, or of the list that it began with. A replica that has seen that version has seen as much as
   * we have, and each replica gets it at once; bookmarks reach each replica at another time, up to a minute later.
   */
  changedVersion(collection: Collection): string | undefined {
    return this.#changed.get(collection);
  }

  /** From now on leases are timed by the keeper's clock, and no longer by the caller's time. */
  keepLeases(keeper: LeaseClockDeps): void {
    this.#leases.keepWith(keeper);
  }

  /** Leases that ran out by now are stale from now on. */
  advance(now: number): void {
    this.#leases.advance(now);
  }

  namespace(name: string): NamespaceState | undefined {
    return this.#namespaces.get(name);
  }

  namespaces(): Iterable<NamespaceState> {
    return this.#namespaces.values();
  }

  pod(namespace: string, name: string): PodRecord | undefined {
    return this.#namespaces.get(namespace)?.pods.get(name);
  }

  #obtain(name: string): NamespaceRecords {
    let state = this.#namespaces.get(name);
    if (state === undefined) {
      state = new NamespaceRecords(name, this.#leases);
      this.#namespaces.set(name, state);
      if (this.#ownerMemory !== undefined) this.#consult(state, this.#ownerMemory);
    }
    return state;
  }

  #change<T>(namespace: string, mutate: (state: NamespaceRecords) => T): T {
    const state = this.#obtain(namespace);
    const result = mutate(state);
    this.#release(state);
    return result;
  }

  /** Something is taken out of what is known; of a namespace of which nothing is, there is nothing to take. */
  #shrink(namespace: string, mutate: (state: NamespaceRecords) => void): void {
    if (this.#namespaces.has(namespace)) this.#change(namespace, mutate);
  }

  /** The state of a namespace that was deleted ends when nothing is in it. Its reservations are of pods that are gone. */
  #release(state: NamespaceRecords): void {
    if (this.#deleted.has(state.name) && state.empty) this.#namespaces.delete(state.name);
  }

  #consult(state: NamespaceRecords, memory: OwnerMemory): void {
    state.owners.consult((group, kind, name) => memory(state.name, group, kind, name));
  }
}

/** Takes a supposition back, so that the world is as it was before. */
export type Undo = () => void;

const nothingToUndo: Undo = () => {};

/**
 * "What if": each supposition changes the counters of the world, so that questions are answered as if it were so, and returns its
 * `Undo`. Suppositions are taken back in the reverse order, before anything else changes the world (`undoAll`, `supposing`).
 */
class Suppositions {
  readonly #find: (namespace: string) => NamespaceRecords | undefined;

  constructor(find: (namespace: string) => NamespaceRecords | undefined) {
    this.#find = find;
  }

  /** As if the ledger of the namespace held this reservation. */
  reserved(namespace: string, reservation: Reservation): Undo {
    const state = this.#find(namespace);
    if (state === undefined) return nothingToUndo;
    const before = state.reservations.get(reservation.uid);
    state.reserve(reservation);
    return () => (before === undefined ? state.unreserve(reservation) : state.reserve(before));
  }

  /** As if the reservation of a pod did not count. The ledger still has it. */
  unreserved(pod: PodRecord): Undo {
    return pod.reserved === undefined ? nothingToUndo : this.#with(pod, 'reserved', undefined);
  }

  /** As if the deletion of a pod had begun. */
  terminating(pod: PodRecord): Undo {
    return this.#with(pod, 'bits', pod.bits | bit.terminating);
  }

  #with<Field extends 'bits' | 'reserved'>(pod: PodRecord, field: Field, value: PodRecord[Field]): Undo {
    const state = this.#find(pod.namespace);
    if (state === undefined) return nothingToUndo;
    const before = pod[field];
    const set = (to: PodRecord[Field]): void =>
      state.recount(pod, (record) => {
        record[field] = to;
      });
    set(value);
    return () => set(before);
  }
}

/** Asks under a supposition, and takes it back. */
export function supposing<T>(undo: Undo, ask: () => T): T {
  try {
    return ask();
  } finally {
    undo();
  }
}

export function undoAll(undos: readonly Undo[]): void {
  for (const undo of undos.toReversed()) undo();
}
