import { apiGroupOf, controllerOf, type OwnerReference } from '../../../../base/src/meta.ts';
import type { Pod } from '../../../src/api/pod.ts';
import type { OwnerName, OwnerState } from '../../../src/core/owner.ts';
import { findPod, isFinished, isTerminating, labelsOf, type NaiveState, namespaceOf, reservationOf } from './state.ts';

const lwsNameLabel = 'leaderworkerset.sigs.k8s.io/name';
const lwsGroup = 'leaderworkerset.x-k8s.io';
const kruise = 'apps.kruise.io';
const longestChain = 8;

interface OwnerKey {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Absent for an owner that is only named, by a label or a targetRef. */
  readonly uid?: string;
}

interface Seen extends OwnerKey {
  /** O4: it leaves its pods when it goes. */
  readonly leavesPods: boolean;
}

/** One owner as a pod sees it (O1). */
export type Link = Seen &
  (
    | {
        readonly status: 'known';
        readonly replicas?: number;
        readonly deleting: boolean;
        readonly next?: OwnerReference;
      }
    | { readonly status: 'gone' | 'unknown' }
  );

/** An owner of the same name with another uid is another owner. */
export function linkKey(link: OwnerKey): string {
  return `${nameKey(link)}|${link.uid ?? ''}`;
}

export function nameKey(link: OwnerKey): string {
  return [link.group, link.kind, link.namespace, link.name].join('|');
}

export function keyOf(owner: OwnerName): OwnerKey {
  return { group: apiGroupOf(owner.apiVersion), kind: owner.kind, namespace: owner.namespace, name: owner.name };
}

export function isSameOwner(left: OwnerName, right: OwnerName): boolean {
  return nameKey(keyOf(left)) === nameKey(keyOf(right));
}

/** Without a uid (an owner that a label or a targetRef names) any object of that name is the one. */
export function lookUp(state: NaiveState, owner: OwnerName, uid?: string): Link {
  const key: OwnerKey = { ...keyOf(owner), ...(uid === undefined ? {} : { uid }) };
  if (key.group === '' && key.kind === 'Pod') return lookUpPod(state, key);
  const found = state.owners.find((candidate) => isSameOwner(candidate, owner));
  if (found !== undefined && (uid === undefined || uid === found.uid)) return known(state, key, found);
  return { ...key, leavesPods: wasOrphaning(state, key), status: isLookUpOf(state, key) ? 'gone' : 'unknown' };
}

/** Whether the owner was looked up after the first reference to it, so that not to find it means something (O1). */
function isLookUpOf(state: NaiveState, key: OwnerKey): boolean {
  const lookedUp = state.lookedUpAt.get(nameKey(key));
  const pointed = state.pointedAtFirst.get(linkKey(key));
  return lookedUp !== undefined && pointed !== undefined && lookedUp > pointed;
}

/** The owner that a targetRef points at, and those that it points at in turn. */
export function pointersOfTarget(state: NaiveState, target: OwnerName): readonly Link[] {
  const link = lookUp(state, target);
  const above = link.status === 'known' ? chainFrom(state, target.namespace, link.next) : [];
  return [link, ...above];
}

/** The owners that a pod points at: those of its chain by uid, and the one that its label names. */
export function pointersOf(state: NaiveState, pod: Pod): readonly Link[] {
  const chain = chainOf(state, pod);
  const named = namedRoot(pod, chain);
  return named === undefined ? chain : [...chain, lookUp(state, named)];
}

/** O4: seen once, it holds for as long as a pod or owner refers to this very owner. */
function wasOrphaning(state: NaiveState, key: OwnerKey): boolean {
  return key.uid !== undefined && state.orphaned.has(linkKey(key));
}

function known(state: NaiveState, key: OwnerKey, found: OwnerState): Link {
  const leavesPods = found.orphaning === true || wasOrphaning(state, key);
  return {
    ...key,
    status: 'known',
    leavesPods,
    deleting: found.deleting === true && !leavesPods,
    ...(found.replicas === undefined ? {} : { replicas: found.replicas }),
    ...(found.controller === undefined ? {} : { next: found.controller }),
  };
}

function lookUpPod(state: NaiveState, key: OwnerKey): Link {
  const pod = findPod(state, key.namespace, key.name);
  const left = wasOrphaning(state, key);
  if (pod === undefined || (key.uid !== undefined && pod.metadata.uid !== key.uid)) {
    return { ...key, leavesPods: left, status: 'gone' };
  }
  const next = controllerOf(pod.metadata);
  const leavesPods = left || (isTerminating(pod) && (pod.metadata.finalizers ?? []).includes('orphan'));
  const deleting = isTerminating(pod) && !leavesPods;
  return { ...key, leavesPods, status: 'known', deleting, ...(next === undefined ? {} : { next }) };
}

/** O1 */
export function chainOf(state: NaiveState, pod: Pod): readonly Link[] {
  return chainFrom(state, namespaceOf(pod), controllerOf(pod.metadata));
}

function chainFrom(state: NaiveState, namespace: string, first: OwnerReference | undefined): readonly Link[] {
  const links: Link[] = [];
  let reference = first;
  while (reference !== undefined && links.length < longestChain) {
    const link: Link = lookUp(state, { ...reference, namespace }, reference.uid);
    links.push(link);
    reference = link.status === 'known' ? link.next : undefined;
  }
  return links;
}

function namedRoot(pod: Pod, chain: readonly Link[]): OwnerName | undefined {
  const last = chain.at(-1);
  if (last?.group === kruise && last.kind === 'LeaderWorkerSet') return undefined;
  const name = labelsOf(pod)[lwsNameLabel];
  if (name === undefined || name === '') return undefined;
  return { apiVersion: `${lwsGroup}/v1`, kind: 'LeaderWorkerSet', namespace: namespaceOf(pod), name };
}

/** O2. Nothing for a pod without a controller. */
export function countingOwner(state: NaiveState, pod: Pod): Link | undefined {
  const [first, second] = chainOf(state, pod);
  const isReplicaSet = first?.group === 'apps' && first.kind === 'ReplicaSet';
  if (!isReplicaSet || second === undefined) return first;
  if (second.status === 'unknown') return second;
  return scaleOf(second) === undefined ? first : second;
}

/** O3 */
export function rootOwner(state: NaiveState, pod: Pod): Link | undefined {
  const chain = chainOf(state, pod);
  const named = namedRoot(pod, chain);
  return named === undefined ? chain.at(-1) : lookUp(state, named);
}

export function scaleOf(link: Link): number | undefined {
  return link.status === 'known' ? link.replicas : undefined;
}

/** A workload that is gone or being deleted needs nothing. */
export function wantsNothing(link: Link): boolean {
  return link.status === 'gone' || (link.status === 'known' && link.deleting);
}

export function scaleCountsGroups(link: Link): boolean {
  return (link.group === lwsGroup || link.group === kruise) && link.kind === 'LeaderWorkerSet';
}

export function endsUnknown(state: NaiveState, pod: Pod): boolean {
  return chainOf(state, pod).at(-1)?.status === 'unknown';
}

/** X4: its owner takes it along, or its workload is scaled to 0. */
export function isDoomed(state: NaiveState, pod: Pod): boolean {
  return isTakenAlong(state, pod) || isScaledToZero(state, pod);
}

function isTakenAlong(state: NaiveState, pod: Pod): boolean {
  return chainOf(state, pod).some((link) => wantsNothing(link) && !link.leavesPods);
}

/** X4: doomed by the scale alone, so that a budget with a total of its own still protects it. */
export function isIdle(state: NaiveState, pod: Pod): boolean {
  return isScaledToZero(state, pod) && !isTakenAlong(state, pod);
}

function isScaledToZero(state: NaiveState, pod: Pod): boolean {
  const counting = countingOwner(state, pod);
  const root = rootOwner(state, pod);
  const nothingWanted = counting !== undefined && scaleOf(counting) === 0;
  return nothingWanted || (root !== undefined && scaleCountsGroups(root) && scaleOf(root) === 0);
}

/** U3: a terminating pod exists until it is gone, or a budget would shrink with every pod that it lets go. */
export function exists(state: NaiveState, pod: Pod): boolean {
  return !isFinished(pod) && !isDoomed(state, pod);
}

/** Whom a budget counts (X4): one with a total of its own also pods whose workload is scaled to 0. */
export type Counting = 'wanted' | 'wantedOrIdle';

/** N1 */
export function isCounted(state: NaiveState, pod: Pod, counting: Counting = 'wanted'): boolean {
  return isPresent(state, pod, counting) && reservationOf(state, pod) === undefined;
}

/** N6: it counts as gone, and whether it goes is not known. */
export function isInDoubt(state: NaiveState, pod: Pod, counting: Counting = 'wanted'): boolean {
  return isPresent(state, pod, counting) && reservationOf(state, pod)?.conditional === true;
}

function isPresent(state: NaiveState, pod: Pod, counting: Counting): boolean {
  if (isTerminating(pod) || isFinished(pod)) return false;
  return !isDoomed(state, pod) || (counting === 'wantedOrIdle' && isIdle(state, pod));
}
