import type { Namespace } from '@holdfast/base/meta';
import type { DisruptionLedger } from '../../api/ledger.ts';
import { label } from '../../api/names.ts';
import type { PodDisruptionBudget } from '../../api/pdb.ts';
import type { Pod } from '../../api/pod.ts';
import type { PodUnavailableBudget } from '../../api/pub/pub.ts';
import type { PodGroup, Workload } from '../../api/workload.ts';
import type { ProbeLease } from '../lease.ts';
import type { OwnerMemory, OwnerName, OwnerState } from '../owner.ts';
import { isAtLeast } from '../resource-version.ts';
import type { Collection } from '../sync.ts';
import { setPdb, setPub } from './budgets.ts';
import type { GroupNode } from './group-node.ts';
import { type LeaseClockDeps, Leases } from './leases.ts';
import { NamespaceState, setReservations } from './namespace-state.ts';
import { nameOf, type OwnerNode } from './owners/owner-node.ts';
import { beginLookup, endLookup, type OpenLookup, observeOwner } from './owners/owners.ts';
import type { PodRecord } from './pod-record.ts';
import { removePod, setPod } from './pods.ts';

/** So many deleted namespaces are remembered by name; late news come within seconds, and no cluster deletes as many in that time. */
const maxDeleted = 10_000;

/**
 * What is known of a cluster, kept current change by change. Adding or changing a pod costs as much as there are budgets over
 * it; nothing looks at all pods again. There is no clock in here: callers pass the time.
 */
export class World {
  readonly #namespaces = new Map<string, NamespaceState>();
  /** Namespaces that were deleted: what is heard of them later is old, unless they are created again. */
  readonly #deleted = new Set<string>();
  readonly #synced = new Map<Collection, string>();
  readonly #changed = new Map<Collection, string>();
  #ownerMemory: OwnerMemory | undefined;
  readonly #leases = new Leases((pod, fresh) =>
    this.#obtain(pod.namespace).recount(pod, () => {
      pod.fresh = fresh;
    }),
  );

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
    const state = this.#obtain(workload.metadata.namespace ?? '');
    const groups = state.groups.describedByWorkload(workload.metadata.name);
    this.#describe(state, groups, () => state.groups.objects.setWorkload(workload));
  }

  deleteWorkload(namespace: string, name: string): void {
    this.#shrink(namespace, (state) =>
      this.#describe(state, state.groups.describedByWorkload(name), () => state.groups.objects.deleteWorkload(name)),
    );
  }

  upsertPodGroup(podGroup: PodGroup): void {
    const state = this.#obtain(podGroup.metadata.namespace ?? '');
    const groups = state.groups.describedByPodGroup(podGroup.apiVersion, podGroup.metadata.name);
    this.#describe(state, groups, () => state.groups.objects.setPodGroup(podGroup));
  }

  deletePodGroup(apiVersion: string, namespace: string, name: string): void {
    this.#shrink(namespace, (state) => {
      const groups = state.groups.describedByPodGroup(apiVersion, name);
      this.#describe(state, groups, () => state.groups.objects.deletePodGroup(apiVersion, name));
    });
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
    this.#change(namespace, (state) => setReservations(state, ledger));
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

  #obtain(name: string): NamespaceState {
    let state = this.#namespaces.get(name);
    if (state === undefined) {
      state = new NamespaceState(name, this.#leases);
      this.#namespaces.set(name, state);
      if (this.#ownerMemory !== undefined) this.#consult(state, this.#ownerMemory);
    }
    return state;
  }

  #change<T>(namespace: string, mutate: (state: NamespaceState) => T): T {
    const state = this.#obtain(namespace);
    const result = mutate(state);
    this.#release(state);
    return result;
  }

  /** Something is taken out of what is known; of a namespace of which nothing is, there is nothing to take. */
  #shrink(namespace: string, mutate: (state: NamespaceState) => void): void {
    if (this.#namespaces.has(namespace)) this.#change(namespace, mutate);
  }

  /** The state of a namespace that was deleted ends when nothing is in it. Its reservations are of pods that are gone. */
  #release(state: NamespaceState): void {
    if (this.#deleted.has(state.name) && state.empty) this.#namespaces.delete(state.name);
  }

  #describe(state: NamespaceState, groups: readonly GroupNode[], mutate: () => void): void {
    const pods = groups.flatMap((group) => [...group.pods]);
    state.change(pods, () => {
      mutate();
      for (const group of groups) {
        const claim = pods.flatMap((pod) => pod.claims).find((one) => one.id === group.id);
        if (claim !== undefined) group.description = state.groups.objects.describe(claim);
      }
    });
    // The number of PodGroup objects is a source of expected groups for budgets over their siblings, too.
    for (const pdb of state.pdbs.values()) if (pdb.units.size > 0) pdb.expectedChanged();
  }

  #consult(state: NamespaceState, memory: OwnerMemory): void {
    state.owners.consult((group, kind, name) => memory(state.name, group, kind, name));
  }
}
