/** Which writes can make garbage of something. */

import { sameJson } from '../../../api/json.ts';
import type { KubeObject } from '../../objects.ts';
import { foregroundFinalizer, has, orphanFinalizer } from './judge.ts';

/** The object names owners, and it did not name the same ones before. */
export function ownersChanged(object: KubeObject, previous: KubeObject | undefined): boolean {
  const before = previous?.metadata.ownerReferences ?? [];
  const now = object.metadata.ownerReferences ?? [];
  return before !== now && (before.length > 0 || now.length > 0) && !sameJson(before, now);
}

/** It has begun to terminate in a way that concerns those it owns. */
export function isWorthALook(object: KubeObject, previous: KubeObject | undefined): boolean {
  return concernsDependents(object) && !(previous !== undefined && concernsDependents(previous));
}

function concernsDependents(object: KubeObject): boolean {
  const { deletionTimestamp } = object.metadata;
  return deletionTimestamp !== undefined && (has(object, orphanFinalizer) || has(object, foregroundFinalizer));
}
