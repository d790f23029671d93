import type { GroupMinimum } from '../../../src/api/pdb-scope.ts';
import { type Group, groupMinimum, largest } from './groups.ts';
import { countingOwner, linkKey, scaleCountsGroups, scaleOf, wantsNothing } from './owners.ts';
import { living, type Minima } from './pub-minimum.ts';
import type { NaiveState } from './state.ts';

/** G5: how many pods make a group of a PDB serve, given all the groups that the budget reaches. */
export function groupMinima(
  state: NaiveState,
  group: Group,
  asked: GroupMinimum | undefined,
  reached: readonly Group[],
): Minima {
  if (typeof asked !== 'number') return exactly(groupMinimum(state, group, asked));
  const stated = largest(group.members.map((member) => member.size));
  if (stated !== undefined) return exactly(Math.min(asked, stated));
  if (reached.some((one) => living(one.pods) >= asked)) return exactly(asked);
  const cap = (size: number) => Math.max(1, Math.min(asked, size));
  return { least: cap(living(group.pods)), minimum: cap(possibleSize(state, group, reached) ?? asked) };
}

function exactly(minimum: number): Minima {
  return { minimum, least: minimum };
}

/** The pods that live and those that the root owner lacks, where it is the owner that counts each of the pods. */
function possibleSize(state: NaiveState, group: Group, reached: readonly Group[]): number | undefined {
  const { root } = group;
  if (root === undefined || root.status !== 'known' || wantsNothing(root) || scaleCountsGroups(root)) return undefined;
  const scale = scaleOf(root);
  const counts = group.pods.every((pod) => {
    const owner = countingOwner(state, pod);
    return owner !== undefined && linkKey(owner) === linkKey(root);
  });
  if (scale === undefined || !counts) return undefined;
  const siblings = reached.filter((one) => one.root !== undefined && linkKey(one.root) === linkKey(root));
  return living(group.pods) + Math.max(0, scale - living(siblings.flatMap(({ pods }) => pods)));
}
