import type { OwnerState } from '../../core/owner.ts';
import { anyUid, type OwnerNode } from '../../core/world/owners/owner-node.ts';

type Pointed = Pick<OwnerNode, 'uid' | 'state'>;

/**
 * Whether nothing more is to be asked about an owner of a kind that is watched: it is known and the watch shows it, so that its
 * changes will be shown, too; or it is gone and the watch does not show it. Where the two disagree, one of them is late.
 */
export function isCoveredByWatch({ uid, state }: Pointed, shown: OwnerState | undefined): boolean {
  const isShown = shown !== undefined && (uid === anyUid || uid === shown.uid);
  return state === (isShown ? 'known' : 'gone');
}

/** Whether an owner of a kind that is not watched may change without our hearing of it. */
export function mayChange({ uid, state }: Pointed): boolean {
  return uid === anyUid || state !== 'gone';
}
