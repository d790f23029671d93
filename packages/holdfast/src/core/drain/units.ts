import { panelFor } from '../decide/judges.ts';
import type { BudgetRef } from '../verdict.ts';
import type { World } from '../world/world.ts';
import type { PodKey } from './simulate.ts';

/** A group that a budget counts. Single pods are units, too, but there is nothing about them to be finished. */
export interface DrainUnit {
  /** Other budgets may count the same pods in other ways: each budget's groups are units of its own. */
  readonly id: string;
  readonly budget: string;
  /** As a person would say it: `group llm/0`, `pdb/llm`. */
  readonly name: string;
  readonly budgetName: string;
}

export interface SeenUnit extends DrainUnit {
  /** It does not serve. A group that a probe withholds serves: there is nothing to finish (H5). */
  readonly broken: boolean;
}

/** The groups in which budgets count a pod when it is evicted; none for a pod that is not, or no longer, the one that is meant. */
export function groupUnitsOf(world: World, key: PodKey & { readonly uid: string }): readonly SeenUnit[] {
  const state = world.namespace(key.namespace);
  const pod = state?.pods.get(key.name);
  if (state === undefined || pod === undefined || pod.uid !== key.uid) return [];
  const request = { operation: 'EVICT', namespace: key.namespace, pod: key.name } as const;
  return panelFor(state, pod, request).judges.flatMap((judge) => {
    if (judge.kind === 'pdbGroup') {
      const { pdb, group } = judge;
      return [seen(pdb.ref, group.id, group.display, group.serving < pdb.boundsOf(group).enough)];
    }
    const unit = judge.kind === 'pub' ? judge.pub.unitOf(pod) : undefined;
    if (judge.kind !== 'pub' || unit === undefined) return [];
    return [seen(judge.pub.ref, unit.key, unit.display, unit.serving < judge.pub.boundsOf(unit).enough)];
  });
}

function seen({ kind, namespace, name }: BudgetRef, id: string, display: string, broken: boolean): SeenUnit {
  const budget = `${namespace}/${kind}/${name}`;
  const budgetName = `${kind === 'PodDisruptionBudget' ? 'pdb' : 'pub'}/${name}`;
  return { id: `${budget}/${id}`, budget, name: `group ${display}`, budgetName, broken };
}
