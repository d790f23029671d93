import type { OwnerReference } from '../api/meta.ts';

/** What is known about an owner of pods after someone looked it up. */
export interface OwnerState {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Of the object that was seen. Where it is given, what is older never takes the place of what is newer. */
  readonly resourceVersion?: string;
  /** The scale it wants; absent when its kind has no scale. */
  readonly replicas?: number;
  readonly deleting?: boolean;
  /** Its own controller. */
  readonly controller?: OwnerReference;
}

/** An owner that was looked up and is not there. */
export interface OwnerName {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Finds an owner among those that somebody keeps current outside of the world. Cheap: it is asked for every owner that is new. */
export type OwnerMemory = (namespace: string, group: string, kind: string, name: string) => OwnerState | undefined;

/**
 * Owner kinds whose scale counts groups, not pods: `group/kind`. Never a Job or a StatefulSet, whose numbers are pods.
 */
const groupScaleKinds: ReadonlySet<string> = new Set(['leaderworkerset.x-k8s.io/LeaderWorkerSet']);

export function scaleCountsGroups(group: string, kind: string): boolean {
  return groupScaleKinds.has(`${group}/${kind}`);
}
