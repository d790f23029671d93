import { type Budget, readBudget, selects } from './budget-rule.ts';
import { type History, isTerminating } from './history.ts';
import { type SeenPod, seen } from './seen-pod.ts';

/** Whether a budget that Holdfast judges, or a probe, protected a pod at this moment (P1, P2). */
export function isProtected(history: History, pod: SeenPod, seq: number): boolean {
  if (pod.probed) return true;
  const pods = history
    .list('pods', seq)
    .filter((one) => !isTerminating(one))
    .map((one) => seen(one));
  const budgets = [
    ...history.list('policy/poddisruptionbudgets', seq).map((one) => readBudget('PDB', one)),
    ...history.list('policy.kruise.io/podunavailablebudgets', seq).map((one) => readBudget('PUB', one)),
  ];
  return [...judgedOf(budgets, [...pods, pod])].some((budget) => selects(budget, pod));
}

/** A plain PDB that shares a pod with one that Holdfast judges is judged as well, and so on. */
function judgedOf(budgets: readonly Budget[], pods: readonly SeenPod[]): ReadonlySet<Budget> {
  const covered = (budget: Budget) => pods.filter((pod) => selects(budget, pod));
  const judged = new Set(
    budgets.filter(
      (one) =>
        one.kind === 'PUB' ||
        one.groups !== undefined ||
        covered(one).some(({ probed, undivided }) => probed || undivided),
    ),
  );
  for (let before = -1; before !== judged.size; ) {
    before = judged.size;
    for (const one of budgets) {
      const isShared = covered(one).some((pod) => [...judged].some((other) => selects(other, pod)));
      if (isShared) judged.add(one);
    }
  }
  return judged;
}
