import { annotation } from '../../api/names.ts';
import type { PodDisruptionBudget } from '../../api/pdb.ts';
import type { PodUnavailableBudget } from '../../api/pub/pub.ts';
import { pdbSelector, readPdb } from '../budget/rules.ts';
import type { NamespaceState } from './namespace-state.ts';
import { PdbState } from './pdb-state.ts';
import { PubState } from './pub/pub-state.ts';

/** A PodDisruptionBudget came, changed or (undefined) went. Its status changes with every eviction: that alone is only noted. */
export function setPdb(state: NamespaceState, name: string, pdb: PodDisruptionBudget | undefined): void {
  const present = state.pdbs.get(name);
  const signature = pdb === undefined ? undefined : pdbSignature(pdb);
  if (pdb !== undefined && present !== undefined && present.signature === signature) {
    present.observe(pdb);
    return;
  }
  const ref = { kind: 'PodDisruptionBudget', namespace: state.name, name } as const;
  const next =
    pdb === undefined || signature === undefined
      ? undefined
      : new PdbState(
          ref,
          readPdb(pdb),
          { objects: state.groups.objects, registry: state.owners, pods: state.pods },
          signature,
        );
  // The new key is used before the old one is dropped: groups of a key that stays keep the size they once had (G5).
  useLabelKey(state, next?.groupLabel);
  if (present !== undefined) {
    state.removePdb(present);
    dropLabelKey(state, present.groupLabel);
  }
  if (pdb !== undefined && next !== undefined) {
    next.observe(pdb);
    state.addPdb(next, pdbSelector(pdb));
  }
  state.sweep();
}

/** A PodUnavailableBudget came, changed or (undefined) went. */
export function setPub(state: NamespaceState, name: string, pub: PodUnavailableBudget | undefined): void {
  const present = state.pubs.get(name);
  const signature = pub === undefined ? undefined : pubSignature(pub);
  if (present !== undefined && pub !== undefined && present.signature === signature) {
    present.observe(pub);
    return;
  }
  if (present !== undefined) state.removePub(present);
  if (pub !== undefined && signature !== undefined) {
    const ref = { kind: 'PodUnavailableBudget', namespace: state.name, name } as const;
    state.addPub(new PubState(ref, pub, state.owners, signature));
  }
  state.sweep();
}

/** Everything of a budget that its rules are read from, and which object it is: one that was recreated is another (I14). */
function pdbSignature(pdb: PodDisruptionBudget): string {
  const { uid, annotations = {} } = pdb.metadata;
  const keys = [annotation.budgetScope, annotation.groupLabel, annotation.groupMinAvailable, annotation.takeover];
  return JSON.stringify(['PodDisruptionBudget', uid, pdb.spec, keys.map((key) => annotations[key])]);
}

function pubSignature(pub: PodUnavailableBudget): string {
  const { uid, annotations } = pub.metadata;
  return JSON.stringify(['PodUnavailableBudget', uid, pub.apiVersion, pub.spec, annotations]);
}

/** The first budget that groups by a key makes the pods that carry it join groups; the last one ends it. */
function useLabelKey(state: NamespaceState, key: string | undefined): void {
  if (key === undefined) return;
  if (state.groups.isLabelKey(key)) state.groups.useLabelKey(key);
  else state.change(state.podsWithLabel(key), () => state.groups.useLabelKey(key));
}

function dropLabelKey(state: NamespaceState, key: string | undefined): void {
  if (key === undefined) return;
  if (state.groups.isLastUse(key)) state.change(state.podsWithLabel(key), () => state.groups.dropLabelKey(key));
  else state.groups.dropLabelKey(key);
}
