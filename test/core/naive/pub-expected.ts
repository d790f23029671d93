import type { Pod } from '../../../src/api/pod.ts';
import type { PubRules } from '../../../src/api/pub-read.ts';
import { type Expected, scaleAsExpected, total } from './expected.ts';
import { labelGroup, rootKey } from './groups.ts';
import {
  countingOwner,
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
    if (wantsNothing(target)) return { count: 0, source: 'scale' };
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
  const scale = scaleOf(target);
  if (scale === undefined || scaleCountsGroups(target) !== (groups !== undefined)) return undefined;
  if (groups === undefined) return { count: scale, source: 'scale' };
  const loose = pods.filter((pod) => labelGroup(state, pod, groups.labelKey) === undefined).length;
  return { count: scale + loose, source: 'scale' };
}

function sumOfOwners(state: NaiveState, pods: readonly Pod[]): Expected | undefined {
  const owners = new Map<string, { owner: Link | undefined; count: number }>();
  for (const pod of pods) {
    const owner = countingOwner(state, pod);
    const key = owner === undefined ? `bare|${pod.metadata.name}` : linkKey(owner);
    owners.set(key, { owner, count: (owners.get(key)?.count ?? 0) + 1 });
  }
  return total([...owners.values()].map(({ owner, count }) => scaleOrPods(owner, count)));
}

function scaleOrPods(owner: Link | undefined, count: number): Expected | undefined {
  if (owner?.status === 'unknown') return undefined;
  const scale = owner === undefined ? undefined : scaleAsExpected(owner);
  return scale ?? { count, source: 'seen' };
}

function sumOfRoots(state: NaiveState, pods: readonly Pod[], labelKey: string): Expected | undefined {
  const roots = distinct(pods.map((pod) => rootKey(state, pod)));
  return total(
    roots.map((root) =>
      expectedOfRoot(
        state,
        pods.filter((pod) => rootKey(state, pod) === root),
        labelKey,
      ),
    ),
  );
}

function expectedOfRoot(state: NaiveState, pods: readonly Pod[], labelKey: string): Expected | undefined {
  const root = pods[0] === undefined ? undefined : rootOwner(state, pods[0]);
  const groups = distinct(pods.flatMap((pod) => labelGroup(state, pod, labelKey)?.key ?? []));
  const loose = pods.filter((pod) => labelGroup(state, pod, labelKey) === undefined).length;
  if (groups.length === 0 && (root === undefined || !scaleCountsGroups(root))) return scaleOrPods(root, loose);
  if (root?.status === 'unknown') return undefined;
  if (root !== undefined && wantsNothing(root)) return { count: 0, source: 'scale' };
  const scale = root !== undefined && scaleCountsGroups(root) ? scaleOf(root) : undefined;
  if (scale === undefined) return { count: groups.length + loose, source: 'seen' };
  return { count: scale + loose, source: 'scale' };
}
