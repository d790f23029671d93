import { compareStrings } from '../compare.ts';
import type { BudgetRef } from '../verdict.ts';
import type { NamespaceState } from '../world/namespace-state.ts';
import type { PdbState } from '../world/pdb-state.ts';
import type { PodRecord } from '../world/pod-record.ts';

/** Why we judge a plain PDB (P2): a pod of it, and the budget that it shares the pod with; none: an eviction of the pod is reserved. */
export interface EntangledBy {
  readonly pod: string;
  readonly budget?: BudgetRef;
}

/** For people: it looks at the budget's pods one by one. Undefined for budgets that are not plain, or not judged by us. */
export function entangledBy(state: NamespaceState, pdb: PdbState): EntangledBy | undefined {
  if (pdb.rules === undefined || pdb.mode !== 'plain' || !state.judgesPlain(pdb)) return undefined;
  const pods = [...pdb.pods].sort((a, b) => compareStrings(a.name, b.name));
  const others = (pod: PodRecord) => pod.pdbs.filter((one) => one !== pdb).map(({ ref }) => ref);
  const shared = firstShared(pods, ownBudgets) ?? firstShared(pods, others);
  if (shared !== undefined) return shared;
  const reserved = pods.find((pod) => state.reservations.has(pod.uid));
  return reserved === undefined ? undefined : { pod: reserved.name };
}

function firstShared(
  pods: readonly PodRecord[],
  budgetsOf: (pod: PodRecord) => readonly BudgetRef[],
): EntangledBy | undefined {
  for (const pod of pods) {
    const [budget] = [...budgetsOf(pod)].sort((a, b) => compareStrings(a.name, b.name));
    if (budget !== undefined) return { pod: pod.name, budget };
  }
  return undefined;
}

/** The budgets over a pod that we judge by themselves. */
function ownBudgets({ pdbs, pubs, groups }: PodRecord): readonly BudgetRef[] {
  return [
    ...pdbs.filter(({ rules, mode }) => rules === undefined || mode !== 'plain'),
    ...groups.flatMap(({ budgets }) => [...budgets].filter(({ mode }) => mode === 'group')),
    ...pubs.filter((pub) => pub.protects('EVICT')),
  ].map(({ ref }) => ref);
}
