import type { PodDisruptionBudget } from '../../../src/api/pdb.ts';
import type { Pod } from '../../../src/api/pod.ts';
import { sayOf, selects } from './pdb.ts';
import { coversEvictions } from './pub.ts';
import { type NaiveState, namespaceOf, podsOf } from './state.ts';

/** P2: whether some budget of ours, or an eviction in the ledger, is on this very pod. */
function isTouched(state: NaiveState, pod: Pod): boolean {
  const ledger = (state.ledger ?? state.reservations).get(namespaceOf(pod)) ?? [];
  if (ledger.some(({ uid, operation }) => uid === pod.metadata.uid && operation === 'EVICT')) return true;
  if (state.pubs.some((pub) => coversEvictions(state, pub, pod))) return true;
  return state.pdbs.some((pdb) => sayOf(state, pdb, pod) === 'judges');
}

/** P2: from the pods that are ours to all pods of every plain PDB over one of them, until that adds nothing. */
export function isEntangled(state: NaiveState, pod: Pod): boolean {
  const pods = podsOf(state, namespaceOf(pod));
  const isPlain = (pdb: PodDisruptionBudget, one: Pod) => sayOf(state, pdb, one) === 'builtIn';
  let ours = pods.filter((one) => isTouched(state, one));
  for (;;) {
    const budgets = state.pdbs.filter((pdb) => ours.some((one) => selects(pdb, one)));
    const more = pods.filter((one) => ours.includes(one) || budgets.some((pdb) => isPlain(pdb, one)));
    if (more.length === ours.length) return ours.includes(pod);
    ours = more;
  }
}
