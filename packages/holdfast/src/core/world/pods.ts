import type { Pod } from '../../api/pod.ts';
import { bit } from '../health.ts';
import type { NamespaceState } from './namespace-state.ts';
import { podsBelow } from './owners/owner-chain.ts';
import { PodRecord, sameStructure } from './pod-record.ts';

/** A pod came or changed. */
export function setPod(state: NamespaceState, pod: Pod): void {
  const name = pod.metadata.name;
  const present = state.pods.get(name);
  const next = new PodRecord(state.name, name);
  next.read(pod);
  if (present === undefined) {
    replace(state, next, () => state.pods.set(name, next));
  } else if (!sameStructure(present, next)) {
    replace(state, present, () => present.read(pod));
  } else if (((present.bits ^ next.bits) & (bit.terminating | bit.orphaning)) !== 0) {
    replace(state, present, () => takeHealth(present, next));
  } else {
    state.recount(present, () => takeHealth(present, next));
  }
}

export function removePod(state: NamespaceState, name: string): void {
  const present = state.pods.get(name);
  if (present !== undefined) replace(state, present, () => state.pods.delete(name));
}

function takeHealth(present: PodRecord, next: PodRecord): void {
  present.resourceVersion = next.resourceVersion;
  present.bits = next.bits;
  present.generation = next.generation;
  present.runs = next.runs;
}

/**
 * A pod may itself own pods (a leader its workers), and what is known of it as an owner changes with it. All of them are taken
 * out first and put back together: in between, a group would hold pods that it never has at the same time.
 */
function replace(state: NamespaceState, pod: PodRecord, mutate: () => void): void {
  const nodes = state.owners.nodesOf({ apiVersion: 'v1', kind: 'Pod', namespace: state.name, name: pod.name });
  const affected = new Set([pod]);
  for (const node of nodes) podsBelow(node, affected);
  state.change(affected, () => {
    mutate();
    for (const node of nodes) state.owners.apply(node, state.podAsOwner(pod.name));
  });
  for (const node of nodes) for (const dependent of node.dependents) dependent.expectedChanged();
}
