import { type ExpectedSource, expectedSources } from '../verdict.ts';
import type { GroupNode } from '../world/group-node.ts';
import type { OwnerNode } from '../world/owner-node.ts';
import type { PodGroupObjects } from '../world/pod-group-objects.ts';
import type { Expected } from './desired.ts';

/** How many groups there should be: the sum over the parents of the groups reached, each by its strongest source (P6). */
export function expectedGroups(
  groups: Iterable<GroupNode>,
  objects: PodGroupObjects,
  ask: (owner: OwnerNode) => void,
): Expected {
  let count = 0;
  let weakest: ExpectedSource | undefined;
  for (const siblings of byParent(groups).values()) {
    const expected = ofParent(siblings, objects, ask);
    if (!expected.known) return expected;
    count += expected.count;
    weakest = weakest === undefined ? expected.source : weaker(weakest, expected.source);
  }
  return { known: true, count, source: weakest ?? 'seen' };
}

export function weaker(a: ExpectedSource, b: ExpectedSource): ExpectedSource {
  return expectedSources.indexOf(a) > expectedSources.indexOf(b) ? a : b;
}

function byParent(groups: Iterable<GroupNode>): Map<string, GroupNode[]> {
  const parents = new Map<string, GroupNode[]>();
  for (const group of groups) {
    // A group whose pods all go with their owner is not expected to be anywhere.
    if (group.existing === 0) continue;
    const key = group.parentKey;
    const siblings = parents.get(key);
    if (siblings === undefined) parents.set(key, [group]);
    else siblings.push(group);
  }
  return parents;
}

function ofParent(groups: readonly GroupNode[], objects: PodGroupObjects, ask: (owner: OwnerNode) => void): Expected {
  const replicas = largest(groups, (group) =>
    group.description.kind === 'gang' ? group.description.replicas : undefined,
  );
  if (replicas !== undefined) return { known: true, count: replicas, source: 'workload' };
  const scale = ofRootOwner(groups, ask);
  if (scale !== undefined) return scale;
  const stated = largest(groups, (group) => group.expected.max);
  if (stated !== undefined) return { known: true, count: stated, source: 'pods' };
  const described = objects.countOfParent(groups[0]?.parentKey ?? '');
  if (described > 0) return { known: true, count: Math.max(described, groups.length), source: 'podGroups' };
  const highest = largest(groups, (group) => group.indexes.max);
  if (highest !== undefined)
    return { known: true, count: Math.max(highest + 1, groups.length), source: 'highestIndex' };
  return { known: true, count: groups.length, source: 'seen' };
}

/**
 * Only a scale that counts groups says anything here: a Job's or a StatefulSet's number is pods. An owner that is gone says
 * nothing, either: pods that go with it are not expected, and pods that do not (it was deleted and they were kept) still serve.
 */
function ofRootOwner(groups: readonly GroupNode[], ask: (owner: OwnerNode) => void): Expected | undefined {
  for (const group of groups) {
    const root = group.root;
    if (root === undefined) continue;
    ask(root);
    if (root.state === 'unknown') return { known: false, why: `${root.display} was not looked up yet` };
    if (root.state === 'gone' || root.deleting || !root.countsGroups) continue;
    if (root.replicas !== undefined) return { known: true, count: root.replicas, source: 'scale' };
  }
  return undefined;
}

function largest(groups: readonly GroupNode[], value: (group: GroupNode) => number | undefined): number | undefined {
  let max: number | undefined;
  for (const group of groups) {
    const one = value(group);
    if (one !== undefined && (max === undefined || one > max)) max = one;
  }
  return max;
}
