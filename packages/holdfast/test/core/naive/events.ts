import { apiGroupOf, type Namespace } from '../../../../base/src/meta.ts';
import type { PodDisruptionBudget } from '../../../src/api/pdb.ts';
import type { Pod } from '../../../src/api/pod.ts';
import type { PodUnavailableBudget } from '../../../src/api/pub/pub.ts';
import type { PodGroup, Workload } from '../../../src/api/workload.ts';
import type { ProbeLease } from '../../../src/core/lease.ts';
import type { OwnerName, OwnerState } from '../../../src/core/owner.ts';
import type { Operation } from '../../../src/core/request.ts';
import { forgetDeleted } from './deleted.ts';
import { membership } from './groups.ts';
import { judgingBudgets, observe } from './model.ts';
import { isSameOwner, keyOf, nameKey } from './owners.ts';
import { labelKeys } from './peaks.ts';
import { forgotten } from './restart.ts';
import { findPod, type NaiveReservation, type NaiveState, namespaceOf } from './state.ts';

/** How a reservation stands: within its limit or past it, and whether it rests on a condition. */
export type Kept = 'fresh' | 'late' | 'conditional' | 'conditionalLate';

/** Which group of a pod is meant: the one by this label, or the one that the pod names by an API or a convention. */
export type GroupedBy = { readonly label: string } | 'convention';

/** Something that happens to the cluster, as both implementations are told of it. */
export type Event =
  | { readonly kind: 'upsertPod'; readonly pod: Pod }
  /** A pod that is there, whichever it is. */
  | { readonly kind: 'deleteNth'; readonly nth: number }
  | { readonly kind: 'upsertPdb'; readonly pdb: PodDisruptionBudget }
  | { readonly kind: 'deletePdb'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'upsertPub'; readonly pub: PodUnavailableBudget }
  | { readonly kind: 'deletePub'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'upsertWorkload'; readonly workload: Workload }
  | { readonly kind: 'deleteWorkload'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'upsertPodGroup'; readonly podGroup: PodGroup }
  | { readonly kind: 'deletePodGroup'; readonly apiVersion: string; readonly namespace: string; readonly name: string }
  | { readonly kind: 'setOwner'; readonly owner: OwnerState }
  | { readonly kind: 'setOwnerGone'; readonly owner: OwnerName }
  | { readonly kind: 'setNamespace'; readonly namespace: Namespace }
  | { readonly kind: 'deleteNamespace'; readonly name: string }
  | {
      readonly kind: 'setProbeLease';
      readonly node: string;
      readonly ageSeconds: number;
      readonly durationSeconds: number;
      /** The uids of the pods that it speaks for; absent: all. */
      readonly pods?: readonly string[];
    }
  | { readonly kind: 'deleteProbeLease'; readonly node: string }
  | {
      readonly kind: 'reserve';
      readonly namespace: string;
      readonly name: string;
      readonly operation: Operation;
      readonly kept?: Kept;
    }
  /** A pod that is there, whichever it is, so that reservations meet pods. */
  | { readonly kind: 'reserveNth'; readonly nth: number; readonly operation: Operation; readonly kept: Kept }
  | { readonly kind: 'releaseNth'; readonly nth: number }
  /** The ledger keeps no size any more. */
  | { readonly kind: 'dropSizes'; readonly namespace: string }
  /** A new process takes over: it knows what the API server stores, and nothing of what was. */
  | { readonly kind: 'restart' }
  /** The leader writes the size of a group of a pod that is there into the ledger. */
  | { readonly kind: 'keepSize'; readonly nth: number; readonly by: GroupedBy; readonly size: number }
  | { readonly kind: 'advance'; readonly seconds: number };

export interface Moment {
  readonly state: NaiveState;
  readonly now: number;
}

/** A namespace that was deleted is as good as one that is being deleted for what is still seen in it (X3). */
function deletedNamespace(name: string): Namespace {
  return { metadata: { name }, status: { phase: 'Terminating' } };
}

export function nthPod(state: NaiveState, nth: number): Pod | undefined {
  return state.pods[nth % state.pods.length];
}

interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

function without<T extends Named>(list: readonly T[], namespace: string, name: string): readonly T[] {
  return list.filter((one) => namespaceOf(one) !== namespace || one.metadata.name !== name);
}

function put<T extends Named>(list: readonly T[], thing: T): readonly T[] {
  return [...without(list, namespaceOf(thing), thing.metadata.name), thing];
}

/** The naive side of an event: the lists as they are afterwards. */
export function happen(moment: Moment, event: Event): Moment {
  if (event.kind === 'advance') return { ...moment, now: moment.now + event.seconds * 1000 };
  if (event.kind === 'restart') return { ...moment, state: forgetDeleted(forgotten(moment.state)) };
  return { ...moment, state: forgetDeleted(observe({ ...moment.state, ...changed(moment, event) })) };
}

function changed({ state, now }: Moment, event: Exclude<Event, { kind: 'advance' | 'restart' }>): Partial<NaiveState> {
  switch (event.kind) {
    case 'upsertPod':
      return { pods: put(state.pods, event.pod) };
    case 'deleteNth':
      return { pods: state.pods.filter((pod) => pod !== nthPod(state, event.nth)) };
    case 'upsertPdb':
      return { pdbs: put(state.pdbs, event.pdb) };
    case 'deletePdb':
      return { pdbs: without(state.pdbs, event.namespace, event.name) };
    case 'upsertPub':
      return { pubs: put(state.pubs, event.pub) };
    case 'deletePub':
      return { pubs: without(state.pubs, event.namespace, event.name) };
    case 'upsertWorkload':
      return { workloads: put(state.workloads, event.workload) };
    case 'deleteWorkload':
      return { workloads: without(state.workloads, event.namespace, event.name) };
    case 'upsertPodGroup':
    case 'deletePodGroup':
      return { podGroups: podGroupsAfter(state, event) };
    case 'setOwner':
    case 'setOwnerGone':
      return ownersAfter(state, event);
    case 'setNamespace':
      return {
        namespaces: put(state.namespaces, event.namespace),
        deleted: new Set([...state.deleted].filter((name) => name !== event.namespace.metadata.name)),
      };
    case 'deleteNamespace':
      return {
        namespaces: put(state.namespaces, deletedNamespace(event.name)),
        deleted: new Set([...state.deleted, event.name]),
      };
    case 'setProbeLease':
      return { leases: new Map([...state.leases, [event.node, leaseAt(now, event)]]) };
    case 'deleteProbeLease':
      return { leases: new Map([...state.leases].filter(([node]) => node !== event.node)) };
    case 'reserve':
      return { reservations: reserved({ state, now }, event) };
    case 'reserveNth': {
      const pod = nthPod(state, event.nth);
      const name = { namespace: pod === undefined ? '' : namespaceOf(pod), name: pod?.metadata.name ?? '' };
      return { reservations: reserved({ state, now }, { ...event, ...name, kind: 'reserve' }) };
    }
    case 'releaseNth':
      return { reservations: released(state, event.nth) };
    case 'keepSize':
      return { keptSizes: keptAfter(state, event) };
    case 'dropSizes':
      return { keptSizes: new Map([...state.keptSizes].filter(([namespace]) => namespace !== event.namespace)) };
  }
}

function podGroupsAfter(
  state: NaiveState,
  event: Extract<Event, { kind: 'upsertPodGroup' | 'deletePodGroup' }>,
): readonly PodGroup[] {
  const target =
    event.kind === 'upsertPodGroup'
      ? {
          apiVersion: event.podGroup.apiVersion,
          namespace: namespaceOf(event.podGroup),
          name: event.podGroup.metadata.name,
        }
      : event;
  const others = state.podGroups.filter(
    (group) =>
      apiGroupOf(group.apiVersion) !== apiGroupOf(target.apiVersion) ||
      namespaceOf(group) !== target.namespace ||
      group.metadata.name !== target.name,
  );
  return event.kind === 'upsertPodGroup' ? [...others, event.podGroup] : others;
}

function ownersAfter(
  state: NaiveState,
  event: Extract<Event, { kind: 'setOwner' | 'setOwnerGone' }>,
): Pick<NaiveState, 'owners' | 'goneOwners' | 'lookedUpAt'> {
  const owners = state.owners.filter((owner) => !isSameOwner(owner, event.owner));
  const goneOwners = state.goneOwners.filter((owner) => !isSameOwner(owner, event.owner));
  const lookedUpAt = new Map([...state.lookedUpAt, [nameKey(keyOf(event.owner)), state.tick]]);
  return event.kind === 'setOwner'
    ? { owners: [...owners, event.owner], goneOwners, lookedUpAt }
    : { owners, goneOwners: [...goneOwners, event.owner], lookedUpAt };
}

export function leaseAt(now: number, lease: Extract<Event, { kind: 'setProbeLease' }>): ProbeLease {
  const { ageSeconds, durationSeconds, pods } = lease;
  return {
    renewedAt: now - ageSeconds * 1000,
    durationSeconds,
    ...(pods === undefined ? {} : { pods: new Set(pods) }),
  };
}

/** One reservation for a uid; a later operation on the pod replaces it (L5). A pod that is not there is not reserved. */
function reserved({ state, now }: Moment, event: Extract<Event, { kind: 'reserve' }>): NaiveState['reservations'] {
  const list = state.reservations.get(event.namespace) ?? [];
  const pod = findPod(state, event.namespace, event.name);
  const uid = pod?.metadata.uid;
  if (pod === undefined || uid === undefined) return state.reservations;
  const time = '2026-01-01T00:00:00Z';
  const request = { operation: event.operation, namespace: event.namespace, pod: event.name };
  const budgets = judgingBudgets(state, request, pod, now);
  const fresh: NaiveReservation = {
    pod: event.name,
    uid,
    operation: event.operation,
    time,
    view: '900',
    budgets,
  };
  const overdue = { phase: 'waiting', by: 'leader', since: time } as const;
  const kinds: Readonly<Record<Kept, NaiveReservation>> = {
    fresh,
    late: { ...fresh, overdue },
    conditional: { ...fresh, conditional: true },
    conditionalLate: { ...fresh, conditional: true, overdue },
  };
  const entry = kinds[event.kept ?? 'fresh'];
  return new Map([...state.reservations, [event.namespace, [...list.filter((one) => one.uid !== uid), entry]]]);
}

/** A label makes groups only while a budget groups by it; the size that the ledger keeps outlives them (G5). */
function keptAfter(
  state: NaiveState,
  { nth, by, size }: Extract<Event, { kind: 'keepSize' }>,
): NaiveState['keptSizes'] {
  const pod = nthPod(state, nth);
  if (pod === undefined || (by !== 'convention' && !labelKeys(state, namespaceOf(pod)).includes(by.label))) {
    return state.keptSizes;
  }
  const grouping = by === 'convention' ? ({ by } as const) : ({ by: 'label', label: by.label } as const);
  const group = membership(state, pod, grouping);
  if (group === undefined) return state.keptSizes;
  const sizes = new Map([...(state.keptSizes.get(namespaceOf(pod)) ?? []), [group.key, size]]);
  return new Map([...state.keptSizes, [namespaceOf(pod), sizes]]);
}

function released(state: NaiveState, nth: number): NaiveState['reservations'] {
  const all = [...state.reservations.values()].flat();
  const gone = all[nth % all.length];
  return new Map([...state.reservations].map(([namespace, list]) => [namespace, list.filter((one) => one !== gone)]));
}
