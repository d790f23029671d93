import type { Pod } from '../../../src/api/pod.ts';
import { type ExpectedSource, expectedSources } from '../../../src/core/verdict.ts';
import { type Group, largest, rootKey } from './groups.ts';
import { nativePodGroups, parentOfPodGroup, statedReplicas } from './native.ts';
import {
  countingOwner,
  exists,
  type Link,
  linkKey,
  rootOwner,
  scaleCountsGroups,
  scaleOf,
  wantsNothing,
} from './owners.ts';
import { distinct, type NaiveState } from './state.ts';

/** How many units there should be; the source is absent where none was needed. */
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

/** P6, for the groups reached that have a pod that exists. */
export function expectedGroups(state: NaiveState, namespace: string, reached: readonly Group[]): Expected | undefined {
  const groups = reached.filter((group) => group.pods.some((pod) => exists(state, pod)));
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
  const roots = rootsOf(state, groups);
  // An owner that was not looked up may turn out to say how many groups there should be (I4).
  if (roots.some((root) => root?.status === 'unknown')) return undefined;
  const scale = roots.length === 1 ? groupScale(roots[0]) : undefined;
  if (scale !== undefined) return { count: scale, source: 'scale' };
  const members = groups.flatMap((group) => group.members);
  const stated = largest(members.map((member) => member.siblings));
  if (stated !== undefined) return { count: stated, source: 'pods' };
  const seen = groups.length;
  const objects = nativePodGroups(state, namespace).filter((group) => parentOfPodGroup(group) === parent).length;
  if (objects > 0) return { count: Math.max(objects, seen), source: 'podGroups' };
  const index = largest(members.map((member) => member.index));
  if (index === undefined) return { count: seen, source: 'seen' };
  return { count: Math.max(index + 1, seen), source: 'highestIndex' };
}

/** How many groups an owner wants, where its scale says that; one that is gone or being deleted says nothing. */
export function groupScale(owner: Link | undefined): number | undefined {
  if (owner === undefined || !scaleCountsGroups(owner) || wantsNothing(owner)) return undefined;
  return scaleOf(owner);
}

/** The distinct root owners of all their pods; nothing stands for the pods without one. */
function rootsOf(state: NaiveState, groups: readonly Group[]): readonly (Link | undefined)[] {
  const pods = groups.flatMap((group) => group.pods);
  return [...new Map(pods.map((pod) => [rootKey(state, pod), rootOwner(state, pod)])).values()];
}

/** P7 */
export function expectedPods(state: NaiveState, pods: readonly Pod[]): Expected | undefined {
  const owners = countingOwners(state, pods);
  // Pods, and no owner that says how many there should be: the number is unknown, which is not the same as none.
  if (owners.length === 0 && pods.length > 0) return undefined;
  return total(owners.map(scaleAsExpected));
}

/** P3: here no controller at all is a sum of 0, which the built-in check refuses for not being positive. */
export function expectedPodsOfPlain(state: NaiveState, pods: readonly Pod[]): Expected | undefined {
  return total(countingOwners(state, pods).map(scaleAsExpected));
}

function countingOwners(state: NaiveState, pods: readonly Pod[]): readonly Link[] {
  const owners = pods.flatMap((pod) => countingOwner(state, pod) ?? []);
  return [...new Map(owners.map((owner) => [linkKey(owner), owner])).values()];
}

function scaleAsExpected(owner: Link): Expected | undefined {
  if (owner.status === 'gone' && owner.leavesPods) return undefined;
  if (wantsNothing(owner)) return { count: 0, source: 'scale' };
  const count = scaleOf(owner);
  return count === undefined ? undefined : { count, source: 'scale' };
}
