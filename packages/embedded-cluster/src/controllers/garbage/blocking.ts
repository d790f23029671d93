import type { KubeObject } from '../../objects.ts';
import { isWaiting } from './judge.ts';

type DependentsOf = (owner: KubeObject) => readonly KubeObject[];

/**
 * Something that the owner has to outlive is still there. Those that wait for each other in a circle would do so forever, so
 * within a circle none counts.
 */
export function isBlocked(owner: KubeObject, dependentsOf: DependentsOf): boolean {
  return blockers(owner, dependentsOf).some(
    (blocker) => !isWaiting(blocker) || !waitsFor(blocker, owner, dependentsOf),
  );
}

function blockers(owner: KubeObject, dependentsOf: DependentsOf): KubeObject[] {
  const { uid } = owner.metadata;
  return dependentsOf(owner).filter(({ metadata }) =>
    metadata.ownerReferences?.some((one) => one.uid === uid && one.blockOwnerDeletion === true),
  );
}

/** Directly or through others that wait themselves. */
function waitsFor(from: KubeObject, wanted: KubeObject, dependentsOf: DependentsOf): boolean {
  const seen = new Set<string | undefined>();
  const open = [from];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.metadata.uid === wanted.metadata.uid) return true;
    if (seen.has(next.metadata.uid)) continue;
    seen.add(next.metadata.uid);
    for (const blocker of blockers(next, dependentsOf)) if (isWaiting(blocker)) open.push(blocker);
  }
  return false;
}
