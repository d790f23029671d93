import type { NamespaceState } from '../../core/world/namespace-state.ts';
import type { PdbState } from '../../core/world/pdb-state.ts';

/**
 * Whether a namespace has something to protect. PodUnavailableBudgets that Kruise guards are not in the world. It looks at
 * no pod, and stops at the first reason.
 */
export function needsGuard(state: NamespaceState): boolean {
  if (state.probedPods.size > 0 || state.pubs.size > 0) return true;
  for (const pdb of state.pdbs.values()) if (isOurs(pdb)) return true;
  return false;
}

/** One that cannot be read is ours: we refuse, because what it was meant to protect is unknown. */
function isOurs(pdb: PdbState): boolean {
  return pdb.rules === undefined || pdb.mode !== 'plain';
}
