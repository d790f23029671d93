import type { UnhealthyRule } from '../../core/budget/rules.ts';
import { bit } from '../../core/health.ts';
import type { PodRecord } from '../../core/world/pod-record.ts';
import type { BuiltinStatus } from '../../observe/once/builtin-status.ts';

/** What Kubernetes' own eviction check says, which counts pods by the status of their PodDisruptionBudget. */
export interface BuiltinAnswer {
  readonly allows: boolean;
  readonly text: string;
}

export interface BuiltinBudget {
  readonly name: string;
  /** As its status says; undefined: it could not be read. */
  readonly status: BuiltinStatus | undefined;
  readonly unhealthy: UnhealthyRule;
}

export function builtinBudgets(
  pod: PodRecord,
  statusOf: (name: string) => BuiltinStatus | undefined,
): readonly BuiltinBudget[] {
  return pod.pdbs.map((pdb) => ({
    name: pdb.ref.name,
    status: statusOf(pdb.ref.name),
    unhealthy: pdb.rules?.unhealthy ?? 'never',
  }));
}

/** As the API server would, in the order in which it looks. */
export function builtinAnswer(pod: PodRecord, budgets: readonly BuiltinBudget[]): BuiltinAnswer {
  if (pod.has(bit.terminating)) return yes('the pod is being deleted already');
  if (pod.has(bit.finished)) return yes('the pod has finished');
  if (pod.has(bit.pending)) return yes('the pod does not run yet');
  const [budget, ...others] = budgets;
  if (budget === undefined) return yes('no PodDisruptionBudget selects the pod');
  if (others.length > 0) {
    const names = budgets.map(({ name }) => name).join(', ');
    return no(`${budgets.length} PodDisruptionBudgets select the pod (${names}), which it answers with an error`);
  }
  return byOne(pod, budget);
}

function byOne(pod: PodRecord, { name, status, unhealthy }: BuiltinBudget): BuiltinAnswer {
  if (status === undefined) return no(`the status of pdb/${name} could not be read`);
  const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods } = status;
  const numbers = `${currentHealthy} of ${expectedPods} pods ready, ${desiredHealthy} needed`;
  if (!pod.has(bit.ready)) {
    if (unhealthy === 'always') return yes(`the pod is not ready, and pdb/${name} lets such pods go`);
    if (unhealthy === 'ifHealthyBudget' && desiredHealthy > 0 && currentHealthy >= desiredHealthy) {
      return yes(`the pod is not ready, and pdb/${name} is met without it (${numbers})`);
    }
  }
  if (status.observedGeneration < status.generation)
    return no(`pdb/${name} was changed, and Kubernetes has not processed the change yet`);
  if (disruptionsAllowed > 0) return yes(`pdb/${name} allows ${disruptionsAllowed} more (${numbers})`);
  return no(`pdb/${name} allows none (${numbers})`);
}

/** The same, by the number that the API server's check reads: where Holdfast shows units there, it counts those (S3). */
export function checkedAnswer(pod: PodRecord, budgets: readonly BuiltinBudget[]): BuiltinAnswer {
  return builtinAnswer(pod, budgets.map(asShown));
}

function asShown({ status, ...budget }: BuiltinBudget): BuiltinBudget {
  const shown = status?.projected;
  return {
    ...budget,
    status: status === undefined || shown === undefined ? status : { ...status, disruptionsAllowed: shown },
  };
}

/** Kubernetes knows budgets for evictions alone. */
export const notChecked: BuiltinAnswer = yes('it asks no budget when pods are deleted or changed');

function yes(text: string): BuiltinAnswer {
  return { allows: true, text };
}

function no(text: string): BuiltinAnswer {
  return { allows: false, text };
}
