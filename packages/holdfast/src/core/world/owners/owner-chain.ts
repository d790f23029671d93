import type { PodRecord } from '../pod-record.ts';
import type { OwnerNode } from './owner-node.ts';

/** Chains longer than this do not exist; a longer one is a cycle or an attack (O1). */
export const maxChain = 8;

/** The owners of a pod from its controller upwards, as far as they are known. Owners that own each other end at the limit. */
export function chainOf(controller: OwnerNode | undefined): readonly OwnerNode[] {
  const chain: OwnerNode[] = [];
  for (let node = controller; node !== undefined && chain.length < maxChain; node = node.controller) {
    chain.push(node);
  }
  return chain;
}

/** Pods below an owner: those it controls and those that the owners it controls control. */
export function podsBelow(node: OwnerNode, into: Set<PodRecord> = new Set(), depth = 0): Set<PodRecord> {
  if (depth >= maxChain) return into;
  for (const pod of node.pods) into.add(pod);
  for (const child of node.children) podsBelow(child, into, depth + 1);
  return into;
}

/** The owner whose scale counts the pod (O2). */
export function podCounter(controller: OwnerNode | undefined): OwnerNode | undefined {
  if (controller === undefined) return undefined;
  const parent = controller.controller;
  const isReplicaSet = controller.group === 'apps' && controller.kind === 'ReplicaSet';
  if (!isReplicaSet || parent === undefined) return controller;
  // A parent that was not looked up yet may have a scale: the answer is its, and not known.
  return parent.state === 'unknown' || parent.replicas !== undefined ? parent : controller;
}

/** Whether the pods of an owner are deleted with it. One that leaves them behind lets them serve on (X4). */
function takesPodsAlong(node: OwnerNode): boolean {
  return node.deleting || (node.state === 'gone' && !node.orphaned);
}

/** An owner that is gone or being deleted takes its pods along; so does a workload that is scaled to nothing (X4). */
export function isDoomed(chain: readonly OwnerNode[], root: OwnerNode | undefined): boolean {
  return isTakenAlong(chain) || isScaledToZero(chain, root);
}

/** An owner in its chain is deleted and takes the pod along. */
export function isTakenAlong(chain: readonly OwnerNode[]): boolean {
  return chain.some(takesPodsAlong);
}

function isScaledToZero(chain: readonly OwnerNode[], root: OwnerNode | undefined): boolean {
  const counter = podCounter(chain[0]);
  if (counter?.state === 'known' && counter.replicas === 0) return true;
  return root?.state === 'known' && root.countsGroups && root.replicas === 0;
}
