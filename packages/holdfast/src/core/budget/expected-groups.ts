import { type ExpectedSource, expectedSources } from '../verdict.ts';
import type { Parent } from '../world/group-node.ts';
import type { OwnerNode } from '../world/owners/owner-node.ts';
import type { PodGroupObjects } from '../world/pod-group-objects.ts';
import { type Expected, notLookedUp } from './desired.ts';

/** How many groups there should be: the sum over the parents of the groups reached, each by its strongest source (P6). */
export function expectedGroups(
  parents: Iterable<Parent>,
  objects: PodGroupObjects,
  ask: (owner: OwnerNode) => void,
): Expected {
  let count = 0;
  let weakest: ExpectedSource | undefined;
  for (const parent of parents) {
    const expected = ofParent(parent, objects, ask);
    if (!expected.known) return expected;
    count += expected.count;
    weakest = weakest === undefined ? expected.source : weaker(weakest, expected.source);
  }
  return { known: true, count, source: weakest ?? 'seen' };
}

export function weaker(a: ExpectedSource, b: ExpectedSource): ExpectedSource {
  return expectedSources.indexOf(a) > expectedSources.indexOf(b) ? a : b;
}

function ofParent(parent: Parent, objects: PodGroupObjects, ask: (owner: OwnerNode) => void): Expected {
  const { replicas, stated, indexes, groups } = parent;
  if (replicas.max !== undefined) return { known: true, count: replicas.max, source: 'workload' };
  const scale = ofRootOwner(parent, ask);
  if (scale !== undefined) return scale;
  if (stated.max !== undefined) return { known: true, count: stated.max, source: 'pods' };
  const described = objects.countOfParent(parent.key);
  if (described > 0) return { known: true, count: Math.max(described, groups), source: 'podGroups' };
  if (indexes.max !== undefined)
    return { known: true, count: Math.max(indexes.max + 1, groups), source: 'highestIndex' };
  return { known: true, count: groups, source: 'seen' };
}

/**
 * Only a scale that counts groups says anything here: a Job's or a StatefulSet's number is pods. An owner that is gone says
 * nothing, either: pods that go with it are not expected, and pods that do not (it was deleted and they were kept) still serve.
 * Groups of one parent with different root owners are a puzzle that no scale solves.
 */
function ofRootOwner(parent: Parent, ask: (owner: OwnerNode) => void): Expected | undefined {
  for (const root of parent.roots.keys()) {
    if (root === undefined) continue;
    ask(root);
    if (root.state === 'unknown') return notLookedUp(root);
  }
  const [root, ...others] = parent.roots.keys();
  if (root === undefined || others.length > 0 || !root.countsGroups || root.state === 'gone' || root.deleting)
    return undefined;
  return root.replicas === undefined ? undefined : { known: true, count: root.replicas, source: 'scale' };
}
