import type { OwnerReference } from '@holdfast/base/meta';

/** What is known about an owner of pods after a look-up. */
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
  /** It is being deleted, and its pods with it. */
  readonly deleting?: boolean;
  /** It is being deleted and leaves its pods: the garbage collector takes their references off before it goes. */
  readonly orphaning?: boolean;
  /** Its own controller. */
  readonly controller?: OwnerReference;
}

/** The finalizer that an API server gives to an owner that is deleted with `propagationPolicy: Orphan`. */
const orphanFinalizer = 'orphan';

/** What the deletion of an owner means for its pods. Both fields come unchecked from its metadata. */
export function deletionOf(
  deletionTimestamp: unknown,
  finalizers: unknown,
): Pick<OwnerState, 'deleting' | 'orphaning'> {
  if (deletionTimestamp === undefined || deletionTimestamp === null) return {};
  const leavesPods = Array.isArray(finalizers) && finalizers.includes(orphanFinalizer);
  return leavesPods ? { orphaning: true } : { deleting: true };
}

/** What an owner is called; it may not exist. */
export interface OwnerName {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Finds an owner among those that are kept current outside of the world, by watches. Cheap: it is called for every new owner. */
export type OwnerMemory = (namespace: string, group: string, kind: string, name: string) => OwnerState | undefined;

/** The API group of OpenKruise's workloads. */
export const kruiseGroup = 'apps.kruise.io';
