import { scaled } from '../common/amounts.ts';
import { isAvailable } from '../common/pods.ts';
import type { DaemonSetObject, NodeObject, PodObject } from '../common/workloads.ts';
import type { Fit } from './daemon-pods.ts';

export interface DaemonSetInput {
  readonly set: DaemonSetObject;
  readonly nodes: readonly NodeObject[];
  readonly pods: readonly PodObject[];
  /** Of the revision that new pods get. */
  readonly hash: string;
  readonly nowMs: number;
  /** How long until a failed pod on this node may be replaced. */
  readonly backoffMs: (node: string) => number;
}

export interface NodePods {
  readonly name: string;
  readonly fit: Fit;
  readonly pods: readonly PodObject[];
}

export function isServing({ set, nowMs }: DaemonSetInput, pod: PodObject): boolean {
  return isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs);
}

export function surgeOf(set: DaemonSetObject, desired: number): number {
  const rolling = set.spec.updateStrategy?.rollingUpdate;
  return set.spec.updateStrategy?.type === 'OnDelete' ? 0 : scaled(rolling?.maxSurge ?? 0, desired, 'up');
}
