import type { Pod } from '../../../src/api/pod.ts';
import type { PubRules } from '../../../src/api/pub/pub-read.ts';
import { type Expected, groupScale, total } from './expected.ts';
import { labelGroup, rootKey } from './groups.ts';
import {
  countingOwner,
  exists,
  type Link,
  linkKey,
  lookUp,
  rootOwner,
  scaleCountsGroups,
  scaleOf,
  wantsNothing,
} from './owners.ts';
import { distinct, type NaiveState } from './state.ts';

/** U3 */
export function expectedOfPub(
  state: NaiveState,
  namespace: string,
  rules: PubRules,
  pods: readonly Pod[],
): Expected | undefined {
  if (rules.totalReplicas !== undefined) return { count: rules.totalReplicas, source: 'budget' };
  if (rules.target.kind === 'workload') {
    const { group, workloadKind: kind, name } = rules.target;
    const target = lookUp(state, { apiVersion: `${group}/v1`, kind, namespace, name });
    if (target.status === 'unknown') return undefined;
    const wanted = scaleOfTarget(state, target, rules, pods);
    if (wanted !== undefined) return wanted;
  }
  return rules.groups === undefined ? sumOfOwners(state, pods) : sumOfRoots(state, pods, rules.groups.labelKey);
}

/** A scale answers only in its own unit: pods for pods, groups for groups. */
function scaleOfTarget(
  state: NaiveState,
  target: Link,
  { groups }: PubRules,
  pods: readonly Pod[],
): Expected | undefined {
  if (groups === undefined) return scaleCountsGroups(target) ? undefined : podScale(target);
  const scale = groupScale(target);
  return scale === undefined ? undefined : { count: scale + loosePods(state, pods, groups.labelKey), source: 'scale' };
}

/** How many pods an owner wants; one that is gone or being deleted says nothing. */
function podScale(owner: Link | undefined): Expected | undefined {
  const count = owner === undefined || wantsNothing(owner) ? undefined : scaleOf(owner);
  return count === undefined ? undefined : { count, source: 'scale' };
}

function loosePods(state: NaiveState, pods: readonly Pod[], labelKey: string): number {
  return pods.filter((pod) => exists(state, pod) && labelGroup(state, pod, labelKey) === undefined).length;
}

function sumOfOwners(state: NaiveState, pods: readonly Pod[]): Expected | undefined {
  const owners = new Map(
    pods.map((pod) => {
      const owner = countingOwner(state, pod);
      return [ownerKey(owner, pod), owner];
    }),
  );
  return total(
    [...owners].map(([key, owner]) => {
      const own = pods.filter((pod) => ownerKey(countingOwner(state, pod), pod) === key);
      return scaleOrPods(state, owner, own);
    }),
  );
}

function ownerKey(owner: Link | undefined, pod: Pod): string {
  return owner === undefined ? `bare|${pod.metadata.name}` : linkKey(owner);
}

function scaleOrPods(state: NaiveState, owner: Link | undefined, pods: readonly Pod[]): Expected | undefined {
  if (owner?.status === 'unknown') return undefined;
  return podScale(owner) ?? { count: pods.filter((pod) => exists(state, pod)).length, source: 'seen' };
}

function sumOfRoots(state: NaiveState, pods: readonly Pod[], labelKey: string): Expected | undefined {
  const roots = distinct(pods.map((pod) => rootKey(state, pod)));
  return total(
    roots.map((root) => {
      const own = pods.filter((pod) => rootKey(state, pod) === root);
      return expectedOfRoot(state, own, labelKey);
    }),
  );
}

function expectedOfRoot(state: NaiveState, pods: readonly Pod[], labelKey: string): Expected | undefined {
  const root = pods[0] === undefined ? undefined : rootOwner(state, pods[0]);
  const countsGroups = root !== undefined && scaleCountsGroups(root);
  const isLoose = pods.every((pod) => labelGroup(state, pod, labelKey) === undefined);
  if (isLoose && !countsGroups) return scaleOrPods(state, root, pods);
  if (root?.status === 'unknown') return undefined;
  const loose = loosePods(state, pods, labelKey);
  const scale = groupScale(root);
  if (scale !== undefined) return { count: scale + loose, source: 'scale' };
  const existing = pods.filter((pod) => exists(state, pod));
  const groups = distinct(existing.flatMap((pod) => labelGroup(state, pod, labelKey)?.key ?? []));
  return { count: groups.length + loose, source: 'seen' };
}
