import type { BudgetRef } from '../../core/verdict.ts';
import type { PodRecord } from '../../core/world/pod-record.ts';

/** The budgets whose numbers a pod is part of: those that select it, and those that reach a group of it. */
export function budgetsOver(pod: PodRecord | undefined, into: Set<BudgetRef>): void {
  if (pod === undefined) return;
  for (const pdb of pod.pdbs) into.add(pdb.ref);
  for (const pub of pod.pubs) into.add(pub.ref);
  for (const group of pod.groups) for (const pdb of group.budgets) into.add(pdb.ref);
}
