import { matches } from '@holdfast/base/labels/label-selector';
import { controllerOf, type StringMap } from '@holdfast/base/meta';
import type { Pod } from '../../api/pod.ts';
import { sameLabelledOwner } from '../groups/labelled-owner.ts';
import { labelOf } from '../label.ts';
import type { DisruptionRequest } from '../request.ts';
import type { NamespaceState } from '../world/namespace-state.ts';
import { identityOf } from '../world/owners/owner-node.ts';
import { type PodRecord, sameLabels, sameOwner } from '../world/pod-record.ts';
import type { PubState } from '../world/pub/pub-state.ts';
import { leavesOwner } from './owner-change.ts';

const noLabels: StringMap = {};

/** Whether an update takes a pod out of a budget, to another of its groups, or away from its owner (U6). */
export function moves(state: NamespaceState, pub: PubState, pod: PodRecord, request: DisruptionRequest): boolean {
  const { after } = request;
  if (after === undefined) return false;
  if (leavesOwner(state, pod, request)) return true;
  const labels = after.metadata.labels ?? noLabels;
  const { target, rules } = pub;
  if (target === undefined || rules === undefined) return changesOwner(pod, after) || !sameLabels(pod.labels, labels);
  const owners = state.peekOwners(labels, controllerOf(after.metadata));
  if (target.kind === 'selector' && !matches(target.selector, labels)) return true;
  if (target.kind === 'workload' && !owners.some((owner) => owner.nameKey === pub.targetOwner?.nameKey)) return true;
  const key = rules.groups?.labelKey;
  if (key === undefined) return false;
  const group = labelOf(pod.labels, key);
  if (group !== labelOf(labels, key)) return true;
  // A pod without the label is a unit of its own, whatever its root owner is.
  return group !== undefined && identityOf(owners.at(-1)) !== identityOf(pod.root);
}

/** Whether an update would move a pod if the budget covered it, which is unknown: an owner was not looked up (I4). */
export function mayMove(pub: PubState, pod: PodRecord, after: Pod | undefined): boolean {
  if (after === undefined) return false;
  const labels = after.metadata.labels ?? noLabels;
  if (changesOwner(pod, after)) return true;
  if (pub.rules === undefined) return !sameLabels(pod.labels, labels);
  const key = pub.rules.groups?.labelKey;
  if (key === undefined) return false;
  const group = labelOf(pod.labels, key);
  if (group !== labelOf(labels, key)) return true;
  return group !== undefined && !sameLabelledOwner(pod.labels, labels);
}

function changesOwner(pod: PodRecord, after: Pod): boolean {
  return !sameOwner(pod.owner, controllerOf(after.metadata));
}
