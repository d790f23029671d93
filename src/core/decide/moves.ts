import { matches } from '../../api/label-selector.ts';
import { controllerOf, type OwnerReference, type StringMap } from '../../api/meta.ts';
import type { Pod } from '../../api/pod.ts';
import { labelOf } from '../label.ts';
import type { NamespaceState } from '../world/namespace-state.ts';
import type { OwnerIdentity } from '../world/owner-registry.ts';
import type { PodRecord } from '../world/pod-record.ts';
import { type PubState, rootKey } from '../world/pub-state.ts';

const noLabels: StringMap = {};

/** Whether an update takes a pod out of a budget, or to another of its groups (U6). */
export function moves(state: NamespaceState, pub: PubState, pod: PodRecord, after: Pod | undefined): boolean {
  if (after === undefined) return false;
  const labels = after.metadata.labels ?? noLabels;
  const { target, rules } = pub;
  if (target === undefined || rules === undefined) return changesOwner(pod, after) || changesLabels(pod, labels);
  const owners = state.peekOwners(labels, controllerOf(after.metadata));
  if (target.kind === 'selector' && !matches(target.selector, labels)) return true;
  if (target.kind === 'workload' && !owners.some((owner) => owner.nameKey === pub.targetOwner?.nameKey)) return true;
  const key = rules.groups?.labelKey;
  if (key === undefined) return false;
  return labelOf(pod.labels, key) !== labelOf(labels, key) || identityKey(owners.at(-1)) !== rootKey(pod);
}

/** Whether an update gives a pod another controller, or none. Where its owners are not known, that may take it from any of them. */
export function changesOwner(pod: PodRecord, after: Pod | undefined): boolean {
  return after !== undefined && !sameOwner(pod.owner, controllerOf(after.metadata));
}

function sameOwner(a: OwnerReference | undefined, b: OwnerReference | undefined): boolean {
  return a?.uid === b?.uid && a?.name === b?.name && a?.kind === b?.kind;
}

function identityKey(root: OwnerIdentity | undefined): string {
  return root === undefined ? '' : `${root.nameKey}/${root.uid}`;
}

function changesLabels(pod: PodRecord, labels: StringMap): boolean {
  const keys = new Set([...Object.keys(pod.labels), ...Object.keys(labels)]);
  return [...keys].some((key) => labelOf(pod.labels, key) !== labelOf(labels, key));
}
