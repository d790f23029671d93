import { parsePdbScope } from '../../../src/api/pdb-scope.ts';
import type { Pod } from '../../../src/api/pod.ts';
import { conventionGroup, labelGroup } from './groups.ts';
import { nativeGroup } from './native.ts';
import { type Link, linkKey, pointersOf, pointersOfTarget } from './owners.ts';
import { distinct, isFinished, isTerminating, type NaiveState, namespaceOf } from './state.ts';

/**
 * Brings the memory of group sizes and of pointers up to date; to be called after every event. A group that has no pod at all any more
 * is forgotten (G5). Label groups exist for as long as a budget asks for the label.
 */
export function observe(state: NaiveState): NaiveState {
  const peaks = new Map<string, number>();
  const live = new Map<string, number>();
  for (const pod of state.pods) {
    for (const key of groupKeys(state, pod)) {
      live.set(key, (live.get(key) ?? 0) + (isTerminating(pod) || isFinished(pod) ? 0 : 1));
    }
  }
  for (const [key, count] of live) peaks.set(key, Math.max(count, state.peaks.get(key) ?? 0));
  const pointed = pointers(state);
  return {
    ...state,
    peaks,
    pointedAtFirst: firsts(state, pointed),
    orphaned: new Set(pointed.filter(({ leavesPods }) => leavesPods).map(linkKey)),
    tick: state.tick + 1,
  };
}

/** The owners that a pod or a targetRef points at. */
function pointers(state: NaiveState): readonly Link[] {
  const targets = state.pubs.flatMap((pub) => {
    const { targetRef } = pub.spec ?? {};
    return targetRef ? pointersOfTarget(state, { ...targetRef, namespace: namespaceOf(pub) }) : [];
  });
  return [...targets, ...state.pods.flatMap((pod) => pointersOf(state, pod))];
}

/** Since when each owner is pointed at. One that no pod and no PUB points at any more is forgotten (O1). */
function firsts(state: NaiveState, pointed: readonly Link[]): NaiveState['pointedAtFirst'] {
  return new Map(pointed.map(linkKey).map((key) => [key, state.pointedAtFirst.get(key) ?? state.tick]));
}

function groupKeys(state: NaiveState, pod: Pod): readonly string[] {
  const native = nativeGroup(state, pod);
  const convention = conventionGroup(pod);
  const labels = labelKeys(state, namespaceOf(pod)).flatMap((key) => labelGroup(state, pod, key)?.key ?? []);
  return [
    ...(native.kind === 'notNamed' ? [] : [native.key]),
    ...(convention === undefined ? [] : [convention.key]),
    ...labels,
  ];
}

/** The labels by which a PDB of the namespace groups: only there a group's largest size counts (G5). */
export function labelKeys(state: NaiveState, namespace: string): readonly string[] {
  const scopes = state.pdbs.filter((pdb) => namespaceOf(pdb) === namespace).map((pdb) => parsePdbScope(pdb));
  const keys = scopes.flatMap((scope) =>
    scope.ok && scope.value.kind === 'group' ? (scope.value.labelKey ?? []) : [],
  );
  return distinct(keys);
}
