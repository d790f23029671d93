import { chooseNode } from './choose.ts';
import type { ClusterState } from './cluster-state.ts';
import type { PodNeeds } from './pod-needs.ts';

export type GangOutcome =
  | {
      readonly kind: 'placed';
      readonly placed: readonly { readonly needs: PodNeeds; readonly node: string }[];
      readonly left: readonly { readonly needs: PodNeeds; readonly message: string }[];
      readonly nextStart: number;
    }
  | { readonly kind: 'none'; readonly message: string };

/**
 * Finds nodes for enough members of a gang at once. Each one takes its place before the next one is looked at; where it
 * does not come to enough of them, all of them give their places back.
 */
export function placeGang(
  members: readonly PodNeeds[],
  alreadyPlaced: number,
  minCount: number,
  state: ClusterState,
  start: number,
): GangOutcome {
  const placed: { needs: PodNeeds; node: string }[] = [];
  const left: { needs: PodNeeds; message: string }[] = [];
  let nextStart = start;
  for (const [index, needs] of members.entries()) {
    const choice = chooseNode(needs, state, nextStart);
    if (choice.kind === 'node') {
      state.place(needs, choice.name);
      placed.push({ needs, node: choice.name });
      nextStart = choice.nextStart;
      continue;
    }
    left.push({ needs, message: choice.message });
    const scheduled = alreadyPlaced + placed.length;
    const remaining = members.length - index - 1;
    if (scheduled + remaining >= minCount) continue;
    for (const { needs: member } of placed) state.remove(member.uid);
    const counts = `${scheduled} scheduled, ${remaining} remaining`;
    return { kind: 'none', message: `minCount (${minCount}) cannot be satisfied: ${counts}` };
  }
  return { kind: 'placed', placed, left, nextStart };
}
