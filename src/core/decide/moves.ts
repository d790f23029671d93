import { matches } from '../../api/label-selector.ts';
import { controllerOf, type OwnerReference } from '../../api/meta.ts';
import type { Pod } from '../../api/pod.ts';
import type { NamespaceState } from '../world/namespace-state.ts';
import type { PodRecord } from '../world/pod-record.ts';
import type { PubState } from '../world/pub-state.ts';

/** Whether an update takes a pod out of a budget, or to another of its groups (U6). */
export function moves(state: NamespaceState, pub: PubState, pod: PodRecord, after: Pod | undefined): boolean {
  if (after === undefined) return false;
  const labels = after.metadata.labels ?? {};
  const owner = controllerOf(after.metadata);
  const ownerChanges = !sameOwner(pod.owner, owner);
  if (pub.target === undefined || pub.rules === undefined) return ownerChanges || changesLabels(pod, labels);
  if (pub.target.kind === 'selector' && !matches(pub.target.selector, labels)) return true;
  if (pub.target.kind === 'workload' && !state.wouldBelongTo(pub, labels, owner)) return true;
  const key = pub.rules.groups?.labelKey;
  if (key === undefined) return false;
  return pod.labels[key] !== labels[key] || state.wouldChangeRoot(pod, labels, owner);
}

function sameOwner(a: OwnerReference | undefined, b: OwnerReference | undefined): boolean {
  return a?.uid === b?.uid && a?.name === b?.name && a?.kind === b?.kind;
}

function changesLabels(pod: PodRecord, labels: Readonly<Record<string, string>>): boolean {
  const keys = new Set([...Object.keys(pod.labels), ...Object.keys(labels)]);
  return [...keys].some((key) => pod.labels[key] !== labels[key]);
}
