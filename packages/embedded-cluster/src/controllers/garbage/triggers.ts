/** Which writes can make garbage of something. */

import { sameJson } from '@holdfast/base/json';
import type { KubeObject } from '../../objects.ts';
import { foregroundFinalizer, has, orphanFinalizer } from './judge.ts';

/** The object names other owners than before. */
export function ownersChanged(object: KubeObject, previous: KubeObject | undefined): boolean {
  const before = previous?.metadata.ownerReferences ?? [];
  const now = object.metadata.ownerReferences ?? [];
  return before !== now && (before.length > 0 || now.length > 0) && !sameJson(before, now);
}

/** It has begun to terminate in a way that concerns those it owns, or goes on in another way. */
export function isWorthALook(object: KubeObject, previous: KubeObject | undefined): boolean {
  const way = wayOut(object);
  return way !== undefined && (previous === undefined || wayOut(previous) !== way);
}

function wayOut(object: KubeObject): 'orphaning' | 'foreground' | undefined {
  if (object.metadata.deletionTimestamp === undefined) return undefined;
  if (has(object, orphanFinalizer)) return 'orphaning';
  return has(object, foregroundFinalizer) ? 'foreground' : undefined;
}
