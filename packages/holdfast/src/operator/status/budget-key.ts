import type { BudgetRef } from '../../core/verdict.ts';

/** Budgets as keys of a queue. Names in Kubernetes have no slash. */
export function budgetKey({ kind, namespace, name }: BudgetRef): string {
  return `${kind === 'PodDisruptionBudget' ? 'pdb' : 'pub'}/${namespace}/${name}`;
}

export function budgetOf(key: string): BudgetRef {
  const [kind, namespace = '', name = ''] = key.split('/');
  return { kind: kind === 'pdb' ? 'PodDisruptionBudget' : 'PodUnavailableBudget', namespace, name };
}
