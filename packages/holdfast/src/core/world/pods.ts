import type { Pod } from '../../api/pod.ts';
import { bit } from '../health.ts';
import type { NamespaceRecords } from './namespace-state.ts';
import { podsBelow } from './owners/owner-chain.ts';
import { PodRecord, readPod, sameStructure, type WritablePod } from './pod-record.ts';

/** A pod came or changed. */
export function setPod(state: NamespaceRecords, pod: Pod): void {
  const name = pod.metadata.name;
  const present = state.pods.get(name);
  const next = new PodRecord(state.name, name);
  readPod(next, pod);
  if (present === undefined) {
    replace(state, next, () => state.pods.set(name, next));
  } else if (!sameStructure(present, next)) {
    replace(state, present, () => readPod(present, pod));
  } else if (((present.bits ^ next.bits) & (bit.terminating | bit.orphaning)) !== 0) {
    replace(state, present, () => takeHealth(present, next));
  } else {
    state.recount(present, (writable) => takeHealth(writable, next));
  }
}

export function removePod(state: NamespaceRecords, name: string): void {
  const present = state.pods.get(name);
  if (present !== undefined) replace(state, present, () => state.pods.delete(name));
}

function takeHealth(present: WritablePod, next: PodRecord): void {
  present.resourceVersion = next.resourceVersion;
  present.bits = next.bits;
  present.generation = next.generation;
  present.runs = next.runs;
}

/**
 * A pod may itself own pods (a leader its workers), and what is known of it as an owner changes with it. All of them are taken
 * out first and put back together: in between, a group would hold pods that it never has at the same time.
 */
function replace(state: NamespaceRecords, pod: PodRecord, mutate: () => void): void {
  const nodes = state.owners.nodesOf({ apiVersion: 'v1', kind: 'Pod', namespace: state.name, name: pod.name });
  const affected = new Set([pod]);
  for (const node of nodes) podsBelow(node, affected);
  state.change(affected, () => {
    mutate();
    for (const node of nodes) state.owners.apply(node, state.podAsOwner(pod.name));
  });
  for (const node of nodes) for (const dependent of node.dependents) dependent.expectedChanged();
}
