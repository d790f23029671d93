/** What becomes of an object, judged by its owners and by those it owns. */

import type { OwnerReference } from 'kubernetes-types/meta/v1.js';
import type { KubeObject } from '../../objects.ts';

export const orphanFinalizer = 'orphan';
export const foregroundFinalizer = 'foregroundDeletion';

export type GarbageOwnerState =
  | 'solid'
  /** Terminating, and it waits until those it owns are gone. */
  | 'waiting'
  | 'absent'
  /** Its kind is not served, so it is unknown. */
  | 'unknown'
  /** A reference that can never be right: from outside namespaces into one. */
  | 'invalid';

export interface OwnerFinding {
  readonly reference: OwnerReference;
  readonly state: GarbageOwnerState;
}

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

export type GarbageVerdict =
  | { readonly kind: 'leave' }
  | { readonly kind: 'lookAgain' }
  /** Let those it owns go free, then let it go. */
  | { readonly kind: 'orphanDependents' }
  /** Delete those it owns, then let it go. */
  | { readonly kind: 'deleteDependents' }
  /** Some owners hold it; forget the others. */
  | { readonly kind: 'strip'; readonly uids: ReadonlySet<string> }
  | { readonly kind: 'delete'; readonly policy: Propagation; readonly unblock: boolean };

export function judge(
  object: KubeObject,
  owners: readonly OwnerFinding[],
  dependents: readonly KubeObject[],
): GarbageVerdict {
  const { metadata } = object;
  if (metadata.deletionTimestamp !== undefined) {
    if (has(object, orphanFinalizer)) return { kind: 'orphanDependents' };
    return has(object, foregroundFinalizer) ? { kind: 'deleteDependents' } : { kind: 'leave' };
  }
  if (owners.length === 0 || owners.some(({ state }) => state === 'invalid')) return { kind: 'leave' };
  if (owners.some(({ state }) => state === 'unknown')) return { kind: 'lookAgain' };
  const loose = owners.filter(({ state }) => state !== 'solid').map(({ reference }) => reference.uid);
  if (loose.length === 0) return { kind: 'leave' };
  if (loose.length < owners.length) return { kind: 'strip', uids: new Set(loose) };
  if (owners.some(({ state }) => state === 'waiting') && dependents.length > 0) {
    // What it owns may be what waits for it. Such a circle opens only when it blocks none of its owners any more.
    return { kind: 'delete', policy: 'Foreground', unblock: dependents.some(isWaiting) };
  }
  return { kind: 'delete', policy: ownPolicy(object), unblock: false };
}

/** Terminating, and waiting until those it owns are gone. */
export function isWaiting(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && has(object, foregroundFinalizer);
}

export function has(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/** A finalizer that was put there before the deletion says how it is to be done. */
function ownPolicy(object: KubeObject): Propagation {
  if (has(object, orphanFinalizer)) return 'Orphan';
  return has(object, foregroundFinalizer) ? 'Foreground' : 'Background';
}
