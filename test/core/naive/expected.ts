import type { Pod } from '../../../src/api/pod.ts';
import { type ExpectedSource, expectedSources } from '../../../src/core/verdict.ts';
import { type Group, largest } from './groups.ts';
import { nativePodGroups, parentOfPodGroup, statedReplicas } from './native.ts';
import { countingOwner, isDoomed, type Link, linkKey, scaleCountsGroups, scaleOf } from './owners.ts';
import { distinct, type NaiveState } from './state.ts';

/** How many units there should be; the source is absent where nobody had to say anything. */
export interface Expected {
  readonly count: number;
  readonly source?: ExpectedSource;
}

/** The sum, with the weakest source; one unknown part makes the whole unknown. */
export function total(parts: readonly (Expected | undefined)[]): Expected | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (known.length < parts.length) return undefined;
  const count = known.reduce((sum, part) => sum + part.count, 0);
  const ranks = known.flatMap((part) => (part.source === undefined ? [] : expectedSources.indexOf(part.source)));
  const source = expectedSources[Math.max(...ranks)];
  return source === undefined ? { count } : { count, source };
}

/** P6 */
export function expectedGroups(state: NaiveState, namespace: string, groups: readonly Group[]): Expected | undefined {
  const parents = distinct(groups.map((group) => group.parent));
  return total(
    parents.map((parent) => {
      const siblings = groups.filter((group) => group.parent === parent);
      return expectedOfParent(state, namespace, parent, siblings);
    }),
  );
}

function expectedOfParent(
  state: NaiveState,
  namespace: string,
  parent: string,
  groups: readonly Group[],
): Expected | undefined {
  const workload = statedReplicas(state, parent);
  if (workload !== undefined) return { count: workload, source: 'workload' };
  const root = commonRoot(groups);
  // An owner that was not looked up may turn out to say how many groups there should be (I4).
  if (root?.status === 'unknown') return undefined;
  const scale = root !== undefined && scaleCountsGroups(root) ? scaleOf(root) : undefined;
  if (scale !== undefined) return { count: scale, source: 'scale' };
  const members = groups.flatMap((group) => group.members);
  const stated = largest(members.map((member) => member.siblings));
  if (stated !== undefined) return { count: stated, source: 'pods' };
  const objects = nativePodGroups(state, namespace).filter((group) => parentOfPodGroup(group) === parent).length;
  if (objects > 0) return { count: objects, source: 'podGroups' };
  const index = largest(members.map((member) => member.index));
  return index === undefined ? { count: groups.length, source: 'seen' } : { count: index + 1, source: 'highestIndex' };
}

function commonRoot(groups: readonly Group[]): Link | undefined {
  const roots = new Map(groups.map(({ root }) => [root === undefined ? '' : linkKey(root), root]));
  return roots.size === 1 ? [...roots.values()][0] : undefined;
}

/** P7. Pods of a workload that is going away want nothing (X4). */
export function expectedPods(state: NaiveState, pods: readonly Pod[]): Expected | undefined {
  const staying = pods.filter((pod) => !isDoomed(state, pod));
  const owners = countingOwners(state, staying);
  // Pods, and nobody who says how many there should be: nobody knows, which is not the same as none.
  if (owners.length === 0 && staying.length > 0) return undefined;
  return total(owners.map(scaleAsExpected));
}

/**
 * P3: as the built-in check sees it. It does not know of doomed pods: they are among its healthy ones, so what their
 * owners want must be in what it expects. No controller at all is a sum of 0, which it refuses for not being positive.
 */
export function expectedPodsOfPlain(state: NaiveState, pods: readonly Pod[]): Expected | undefined {
  return total(countingOwners(state, pods).map(scaleAsExpected));
}

function countingOwners(state: NaiveState, pods: readonly Pod[]): readonly Link[] {
  const owners = pods.flatMap((pod) => countingOwner(state, pod) ?? []);
  // A gone owner beside a known one of the same name: the known one counts, and the gone one is still gone.
  return [...new Map(owners.map((owner) => [`${linkKey(owner)}|${owner.status}`, owner])).values()];
}

export function scaleAsExpected(owner: Link): Expected | undefined {
  const count = scaleOf(owner);
  return count === undefined ? undefined : { count, source: 'scale' };
}
