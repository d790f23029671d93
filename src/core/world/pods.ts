import type { Pod } from '../../api/pod.ts';
import { bit } from '../health.ts';
import type { NamespaceState } from './namespace-state.ts';
import { podsBelow } from './owner-chain.ts';
import { PodRecord, sameStructure } from './pod-record.ts';

/** A pod came or changed. */
export function setPod(state: NamespaceState, pod: Pod): void {
  const name = pod.metadata.name;
  const present = state.pods.get(name);
  const next = new PodRecord(state.name, name);
  next.read(pod);
  if (present === undefined) {
    state.pods.set(name, next);
    state.attach(next);
    state.sweep();
    ownerPodChanged(state, next.name);
    return;
  }
  const goes = present.has(bit.terminating) !== next.has(bit.terminating);
  if (sameStructure(present, next)) {
    state.recount(present, () => takeHealth(present, next));
    if (goes) ownerPodChanged(state, name);
    return;
  }
  state.change([present], () => present.read(pod));
  ownerPodChanged(state, name);
}

export function removePod(state: NamespaceState, name: string): void {
  const present = state.pods.get(name);
  if (present === undefined) return;
  state.change([present], () => state.pods.delete(name));
  ownerPodChanged(state, name);
}

function takeHealth(present: PodRecord, next: PodRecord): void {
  present.resourceVersion = next.resourceVersion;
  present.bits = next.bits;
  present.generation = next.generation;
}

/** A pod may itself own pods (a leader its workers): what is known of it as an owner changed with it. */
function ownerPodChanged(state: NamespaceState, name: string): void {
  const nodes = state.owners.nodesOf({ apiVersion: 'v1', kind: 'Pod', namespace: state.name, name });
  for (const node of nodes) {
    state.change(podsBelow(node), () => state.owners.apply(node, state.podAsOwner(name)));
    for (const dependent of node.dependents) dependent.expectedChanged();
  }
}
