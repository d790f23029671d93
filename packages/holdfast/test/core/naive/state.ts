import type { Namespace } from '../../../../base/src/meta.ts';
import type { Reservation } from '../../../src/api/ledger.ts';
import type { PodDisruptionBudget } from '../../../src/api/pdb.ts';
import type { Pod } from '../../../src/api/pod.ts';
import type { PodUnavailableBudget } from '../../../src/api/pub/pub.ts';
import type { PodGroup, Workload } from '../../../src/api/workload.ts';
import type { ProbeLease } from '../../../src/core/lease.ts';
import type { OwnerName, OwnerState } from '../../../src/core/owner.ts';

/** A reservation with the budgets that judged it, word for word (I14). */
export interface NaiveReservation extends Reservation {
  readonly budgets: readonly string[];
}

/**
 * Everything the naive model knows: plain lists, searched from the beginning for every question. The last ones are
 * history, because the largest size of a group (G5), and what a look-up is worth (O1), cannot be seen in the present.
 */
export interface NaiveState {
  pods: readonly Pod[];
  pdbs: readonly PodDisruptionBudget[];
  pubs: readonly PodUnavailableBudget[];
  workloads: readonly Workload[];
  podGroups: readonly PodGroup[];
  owners: readonly OwnerState[];
  goneOwners: readonly OwnerName[];
  namespaces: readonly Namespace[];
  /** Namespaces that were deleted and not created again. */
  deleted: ReadonlySet<string>;
  leases: ReadonlyMap<string, ProbeLease>;
  reservations: ReadonlyMap<string, readonly NaiveReservation[]>;
  /** The ledger as it is, where `reservations` leaves one out to ask what would be without it (L5). */
  ledger?: ReadonlyMap<string, readonly NaiveReservation[]>;
  peaks: ReadonlyMap<string, number>;
  /** The sizes of groups that the ledgers keep (G5): by namespace, and there by group. */
  keptSizes: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** The number of events so far, and when an owner was looked up and first pointed at: also history (O1). */
  tick: number;
  lookedUpAt: ReadonlyMap<string, number>;
  pointedAtFirst: ReadonlyMap<string, number>;
  /** Owners that are referred to and that were seen leaving their pods (O4). */
  orphaned: ReadonlySet<string>;
}

export function emptyState(): NaiveState {
  return {
    pods: [],
    pdbs: [],
    pubs: [],
    workloads: [],
    podGroups: [],
    owners: [],
    goneOwners: [],
    namespaces: [],
    deleted: new Set(),
    leases: new Map(),
    reservations: new Map(),
    peaks: new Map(),
    keptSizes: new Map(),
    tick: 0,
    lookedUpAt: new Map(),
    pointedAtFirst: new Map(),
    orphaned: new Set(),
  };
}

export function namespaceOf(thing: { readonly metadata: { readonly namespace?: string } }): string {
  return thing.metadata.namespace ?? '';
}

export function podsOf(state: NaiveState, namespace: string): readonly Pod[] {
  return state.pods.filter((pod) => namespaceOf(pod) === namespace);
}

export function findPod(state: NaiveState, namespace: string, name: string): Pod | undefined {
  return podsOf(state, namespace).find((pod) => pod.metadata.name === name);
}

export function reservationOf(state: NaiveState, pod: Pod): NaiveReservation | undefined {
  return (state.reservations.get(namespaceOf(pod)) ?? []).find(({ uid }) => uid === pod.metadata.uid);
}

/** The same world in which one pod was never reserved (L5). */
export function withoutReservation(state: NaiveState, pod: Pod): NaiveState {
  const namespace = namespaceOf(pod);
  const others = (state.reservations.get(namespace) ?? []).filter(({ uid }) => uid !== pod.metadata.uid);
  return { ...state, ledger: state.reservations, reservations: new Map([...state.reservations, [namespace, others]]) };
}

export function isTerminating(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

export function isFinished(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

export function labelsOf(pod: Pod): Readonly<Record<string, string>> {
  return pod.metadata.labels ?? {};
}

export function distinct<T>(things: readonly T[]): readonly T[] {
  return [...new Set(things)];
}
