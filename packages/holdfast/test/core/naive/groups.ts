import type { Pod } from '../../../src/api/pod.ts';
import { type Membership, nativeGroup } from './native.ts';
import { type Link, linkKey, rootOwner } from './owners.ts';
import { labelsOf, type NaiveState, namespaceOf, podsOf } from './state.ts';

/** How a budget tells which pods belong together. */
export type Grouping =
  | { readonly by: 'native' }
  | { readonly by: 'convention' }
  | { readonly by: 'label'; readonly label: string };

/** The group of a pod, or nothing when it has none or it cannot be told. */
export function membership(state: NaiveState, pod: Pod, grouping: Grouping): Membership | undefined {
  if (grouping.by === 'label') return labelGroup(state, pod, grouping.label);
  const native = nativeGroup(state, pod);
  if (native.kind === 'gang') return native.member;
  // A native group that the pod names and that is not there is not replaced by a guess (P5).
  if (grouping.by === 'native' || native.kind === 'missing' || native.kind === 'undivided') return undefined;
  return conventionGroup(pod);
}

export function conventionGroup(pod: Pod): Membership | undefined {
  return leaderWorkerSet(pod) ?? jobSet(pod) ?? kueue(pod);
}

/** G4 */
export function labelGroup(state: NaiveState, pod: Pod, key: string): Membership | undefined {
  const value = labelsOf(pod)[key];
  if (value === undefined) return undefined;
  return { key: ['label', key, rootKey(state, pod), value].join('|'), unit: value, parent: rootKey(state, pod) };
}

/** The pods of a namespace that have no owner count as having the same one (O3). */
export function rootKey(state: NaiveState, pod: Pod): string {
  const root = rootOwner(state, pod);
  return root === undefined ? ['bare', namespaceOf(pod)].join('|') : linkKey(root);
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^[0-9]+$/.test(text) ? Number(text) : undefined;
}

function positive(text: string | undefined): number | undefined {
  const value = wholeNumber(text);
  return value === undefined || value === 0 ? undefined : value;
}

/** Leaves out what is not there, so that absent fields are absent. */
function compact(member: { [K in keyof Membership]: Membership[K] | undefined }): Membership {
  // Safe: key and unit are given by every caller, and the rest is optional.
  return Object.fromEntries(Object.entries(member).filter(([, value]) => value !== undefined)) as unknown as Membership;
}

function leaderWorkerSet(pod: Pod): Membership | undefined {
  const name = labelsOf(pod)['leaderworkerset.sigs.k8s.io/name'];
  const index = labelsOf(pod)['leaderworkerset.sigs.k8s.io/group-index'];
  if (name === undefined || index === undefined) return undefined;
  return compact({
    key: ['lws', namespaceOf(pod), name, index].join('|'),
    unit: `${name}/${index}`,
    parent: ['lws', namespaceOf(pod), name].join('|'),
    index: wholeNumber(index),
    size: positive(pod.metadata.annotations?.['leaderworkerset.sigs.k8s.io/size']),
  });
}

function jobSet(pod: Pod): Membership | undefined {
  const labels = labelsOf(pod);
  const job = labels['jobset.sigs.k8s.io/job-key'];
  if (job === undefined) return undefined;
  const parts = [labels['jobset.sigs.k8s.io/jobset-name'], labels['jobset.sigs.k8s.io/replicatedjob-name']];
  const index = labels['jobset.sigs.k8s.io/job-index'];
  const replicas = 'jobset.sigs.k8s.io/replicatedjob-replicas';
  return compact({
    key: ['jobset', namespaceOf(pod), job].join('|'),
    unit: [...parts, index].join('/'),
    parent: parts.includes(undefined) ? undefined : ['jobset', namespaceOf(pod), ...parts].join('|'),
    index: wholeNumber(index),
    siblings: positive(labels[replicas] ?? pod.metadata.annotations?.[replicas]),
  });
}

function kueue(pod: Pod): Membership | undefined {
  const name = labelsOf(pod)['kueue.x-k8s.io/pod-group-name'];
  if (name === undefined) return undefined;
  return compact({
    key: ['kueue', namespaceOf(pod), name].join('|'),
    unit: name,
    size: positive(pod.metadata.annotations?.['kueue.x-k8s.io/pod-group-total-count']),
  });
}

/** A group with all its pods in the namespace, selected or not (P4). */
export interface Group {
  readonly key: string;
  readonly unit: string;
  readonly parent: string;
  readonly pods: readonly Pod[];
  readonly members: readonly Membership[];
  /** The one root owner of its pods; absent when they have none, or not the same one. */
  readonly root?: Link;
}

export function groupOf(state: NaiveState, pod: Pod, grouping: Grouping): Group | undefined {
  const own = membership(state, pod, grouping);
  if (own === undefined) return undefined;
  const pods = podsOf(state, namespaceOf(pod)).filter((other) => membership(state, other, grouping)?.key === own.key);
  const roots = new Map(pods.map((other) => [rootKey(state, other), rootOwner(state, other)]));
  const root = roots.size === 1 ? [...roots.values()][0] : undefined;
  return {
    key: own.key,
    unit: own.unit,
    parent: own.parent ?? (root === undefined ? own.key : linkKey(root)),
    pods,
    members: pods.flatMap((other) => membership(state, other, grouping) ?? []),
    ...(root === undefined ? {} : { root }),
  };
}

export function largest(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** All pods of a group are in one namespace, and so is the ledger that keeps its size. */
function keptSize(state: NaiveState, group: Group): number | undefined {
  const [pod] = group.pods;
  return pod === undefined ? undefined : state.keptSizes.get(namespaceOf(pod))?.get(group.key);
}

/** G5, where no number is asked for. Never less than one: a group without a live pod must not count as available. */
export function groupMinimum(state: NaiveState, group: Group, asked: 'all' | undefined): number {
  const minCount = largest(group.members.map((member) => member.minCount));
  const known = keptSize(state, group) ?? state.peaks.get(group.key) ?? 0;
  const fullSize = Math.max(1, largest(group.members.map((member) => member.size)) ?? Math.max(known, minCount ?? 0));
  const needsAll = asked === 'all' || group.members.some((member) => member.needsAll === true);
  return needsAll ? fullSize : (minCount ?? fullSize);
}
