import type { Pod } from '../api/pod.ts';
import type { ProtectOperation } from '../api/pub.ts';
import type { RequestedChange } from './ledger/change-record.ts';

export type Operation = ProtectOperation;

/** Whether an operation takes the pod away for good, not only for a while. */
export function isRemoval(operation: Operation): boolean {
  return operation === 'EVICT' || operation === 'DELETE';
}

/** Who asks. It matters only for exemptions (X2). */
export type Requester =
  | { readonly kind: 'kubelet'; readonly node: string }
  | { readonly kind: 'garbageCollector' }
  | { readonly kind: 'podGarbageCollector' }
  | { readonly kind: 'other' };

/** A wish to disrupt one pod. */
export interface DisruptionRequest {
  readonly operation: Operation;
  readonly namespace: string;
  readonly pod: string;
  /** The pod that is meant; a pod of the same name with another uid is another pod. */
  readonly uid?: string;
  readonly requester?: Requester;
  readonly dryRun?: boolean;
  /** The client insists on a version of the pod, which a takeover would change under its feet. */
  readonly resourceVersionPrecondition?: boolean;
  /** UPDATE and RESIZE: the pod as it would be. */
  readonly after?: Pod;
  /** UPDATE and RESIZE: what it does to the pod, so that it can be seen when that is over (L8). Absent: nothing will show it. */
  readonly change?: RequestedChange;
  /** Of this one request among all that ever were: a reservation that it makes on a condition may be taken back by it alone (L7). */
  readonly claim?: string;
  /** UPDATE: whether the change makes the pod unavailable (C1). Absent means that it does. */
  readonly takesAway?: boolean;
}

const nodePrefix = 'system:node:';

/** Reads the requester from the user of an admission request. */
export function requesterOf(username: string, groups: readonly string[]): Requester {
  if (username.startsWith(nodePrefix) && groups.includes('system:nodes')) {
    return { kind: 'kubelet', node: username.slice(nodePrefix.length) };
  }
  if (username === 'system:serviceaccount:kube-system:generic-garbage-collector') return { kind: 'garbageCollector' };
  if (username === 'system:serviceaccount:kube-system:pod-garbage-collector') return { kind: 'podGarbageCollector' };
  return { kind: 'other' };
}
