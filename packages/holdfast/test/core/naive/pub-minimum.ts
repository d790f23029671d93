import type { Pod } from '../../../src/api/pod.ts';
import type { PubRules } from '../../../src/api/pub/pub-read.ts';
import { conventionGroup, labelGroup, largest, rootKey } from './groups.ts';
import { exists, rootOwner, scaleCountsGroups, scaleOf, wantsNothing } from './owners.ts';
import type { Unit } from './rule.ts';
import { distinct, isFinished, isTerminating, type NaiveState } from './state.ts';

export type Minima = Pick<Unit, 'minimum' | 'least'>;

/** U2: `minReadyReplicas`, or the whole group where none can have as many pods. */
export function minimaOf(
  state: NaiveState,
  { labelKey, minReady }: NonNullable<PubRules['groups']>,
  pods: readonly Pod[],
  all: readonly Pod[],
): Minima {
  const stated = statedSize(pods);
  if (stated !== undefined) return exactly(Math.min(minReady, stated));
  const groups = distinct(all.flatMap((pod) => labelGroup(state, pod, labelKey)?.key ?? []));
  const sizes = groups.map((key) => living(all.filter((pod) => labelGroup(state, pod, labelKey)?.key === key)));
  if (sizes.some((size) => size >= minReady)) return exactly(minReady);
  const cap = (size: number) => Math.max(1, Math.min(minReady, size));
  return { least: cap(living(pods)), minimum: cap(possibleSize(state, minReady, pods, all)) };
}

function exactly(minimum: number): Minima {
  return { minimum, least: minimum };
}

export function living(pods: readonly Pod[]): number {
  return pods.filter((pod) => !isTerminating(pod) && !isFinished(pod)).length;
}

/** What the pods say about the size of their one group; nothing where they are in several. */
function statedSize(pods: readonly Pod[]): number | undefined {
  const members = pods.flatMap((pod) => conventionGroup(pod) ?? []).filter(({ size }) => size !== undefined);
  return distinct(members.map(({ key }) => key)).length === 1 ? largest(members.map(({ size }) => size)) : undefined;
}

/** How many pods the group may have: those that live and those that its root owner still lacks; else those that exist. */
function possibleSize(state: NaiveState, minReady: number, pods: readonly Pod[], all: readonly Pod[]): number {
  const [pod] = pods;
  const root = pod === undefined ? undefined : rootOwner(state, pod);
  if (pod !== undefined && root?.status === 'unknown') return living(pods) + minReady;
  const scale = root === undefined || wantsNothing(root) || scaleCountsGroups(root) ? undefined : scaleOf(root);
  if (pod === undefined || scale === undefined) {
    return Math.max(living(pods), pods.filter((one) => exists(state, one)).length);
  }
  const siblings = all.filter((other) => rootKey(state, other) === rootKey(state, pod));
  return living(pods) + Math.max(0, scale - living(siblings));
}
