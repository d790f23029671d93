import type { Pod } from '../api/pod.ts';
import type { ProtectOperation } from '../api/pub/pub.ts';
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
  /** Preemption: it makes room for a pod of higher priority. */
  | { readonly kind: 'scheduler' }
  /** A built-in controller of workloads, which adopts and releases pods. */
  | { readonly kind: 'workloadController' }
  | { readonly kind: 'other' };

/** A request to disrupt one pod. */
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
  /** Of this one request among all that ever were: a reservation that it makes may be taken back by it alone (L7). */
  readonly claim?: string;
  /** UPDATE: whether the change makes the pod unavailable (C1). Absent means that it does. */
  readonly takesAway?: boolean;
  /** UPDATE: whether it changes which owners the pod refers to. */
  readonly referencesChange?: boolean;
}

const other: Requester = { kind: 'other' };
const nodePrefix = 'system:node:';
const systemAccounts = 'system:serviceaccount:kube-system:';

/** Who a user is by name alone. The last one stands for all controllers where they have no accounts of their own. */
const requesters: Readonly<Record<string, Requester>> = {
  [`${systemAccounts}generic-garbage-collector`]: { kind: 'garbageCollector' },
  [`${systemAccounts}pod-garbage-collector`]: { kind: 'podGarbageCollector' },
  'system:kube-scheduler': { kind: 'scheduler' },
  [`${systemAccounts}replicaset-controller`]: { kind: 'workloadController' },
  [`${systemAccounts}replication-controller`]: { kind: 'workloadController' },
  [`${systemAccounts}statefulset-controller`]: { kind: 'workloadController' },
  [`${systemAccounts}daemon-set-controller`]: { kind: 'workloadController' },
  [`${systemAccounts}job-controller`]: { kind: 'workloadController' },
  'system:kube-controller-manager': { kind: 'workloadController' },
};

/** Reads the requester from the user of an admission request. */
export function requesterOf(username: string, groups: readonly string[]): Requester {
  if (username.startsWith(nodePrefix) && groups.includes('system:nodes')) {
    return { kind: 'kubelet', node: username.slice(nodePrefix.length) };
  }
  return Object.hasOwn(requesters, username) ? (requesters[username] ?? other) : other;
}
