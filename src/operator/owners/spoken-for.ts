import type { OwnerState } from '../../core/owner.ts';
import { anyUid, type OwnerNode } from '../../core/world/owner-node.ts';

type Pointed = Pick<OwnerNode, 'uid' | 'state'>;

/**
 * Whether nothing more is to be asked about an owner of a kind that is watched. What the watch shows is the owner that is meant,
 * or the owner is gone: a uid does not come back, and a name that does is shown.
 */
export function isSpokenFor({ uid, state }: Pointed, shown: OwnerState | undefined): boolean {
  if (shown !== undefined && (uid === anyUid || uid === shown.uid)) return true;
  return state === 'gone';
}

/** Whether an owner of a kind that is not watched may change without our hearing of it. */
export function mayChange({ uid, state }: Pointed): boolean {
  return uid === anyUid || state !== 'gone';
}
