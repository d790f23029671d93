import { controllerOf } from '@holdfast/base/meta';
import type { DisruptionRequest } from '../request.ts';
import type { NamespaceState } from '../world/namespace-state.ts';
import { chainOf } from '../world/owners/owner-chain.ts';
import { identityOf } from '../world/owners/owner-node.ts';
import { type PodRecord, sameOwner } from '../world/pod-record.ts';

/**
 * Whether an update lets the garbage collector delete the pod: it deletes what has owner references and none to an object that
 * exists. An owner that is not known counts as absent (I4): pointing at one that does not exist is how a pod would be deleted
 * without a DELETE that we judge.
 */
export function isCollectable(state: NamespaceState, { after, referencesChange }: DisruptionRequest): boolean {
  const references = after?.metadata.ownerReferences ?? [];
  if (referencesChange !== true || references.length === 0) return false;
  return !references.some((one) => state.owners.isAlive(one));
}

/** Whether an update takes a pod away from its owner (U6). Another owner of the same root is the same workload. */
export function leavesOwner(state: NamespaceState, pod: PodRecord, request: DisruptionRequest): boolean {
  const { after, requester } = request;
  if (after === undefined) return false;
  if (isCollectable(state, request)) return true;
  const controller = controllerOf(after.metadata);
  if (pod.owner === undefined || sameOwner(pod.owner, controller)) return false;
  // A workload's own controller releases a pod whose labels left its selector. Refused, it would stop managing all its other pods.
  if (controller === undefined) return requester?.kind !== 'workloadController';
  const root = identityOf(chainOf(pod.controller).at(-1));
  return !state.owners.isAlive(controller) || identityOf(state.owners.peek(controller).at(-1)) !== root;
}
