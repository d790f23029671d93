import type { OwnerNode } from '../world/owners/owner-node.ts';
import { type Expected, notLookedUp } from './desired.ts';

/** How many pods the owners want (P7). An owner that is gone wants none; its pods go with it. */
export function expectedPods(owners: Iterable<OwnerNode>, ask: (owner: OwnerNode) => void): Expected {
  let count = 0;
  for (const owner of owners) {
    ask(owner);
    if (owner.state === 'unknown') return notLookedUp(owner);
    const wanted = scaleOf(owner);
    if (typeof wanted === 'string') return { known: false, why: wanted };
    count += wanted;
  }
  return { known: true, count, source: 'scale' };
}

/** The scale of an owner, or why there is none. */
function scaleOf(owner: OwnerNode): number | string {
  if (owner.state === 'gone' && owner.orphaned) return `${owner.display} was deleted without its pods`;
  if (owner.state === 'gone' || owner.deleting) return 0;
  return owner.replicas ?? `${owner.display} has no scale`;
}
