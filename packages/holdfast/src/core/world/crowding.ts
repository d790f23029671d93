import type { PodRecord } from './pod-record.ts';

/**
 * So many budgets count for one pod. Each costs a few microseconds whenever the pod changes, so that a pod under thousands of them
 * would hold up all others (10 to 40 ms for each change under 5,000); a person needs two or three.
 */
export const maxBudgetsPerPod = 100;

/**
 * A pod that had too many counts again when it has no more than so many. Were it the same number, one budget that comes and goes
 * would have all its pods linked and unlinked each time.
 */
const relievedBudgets = 50;

/** A budget as far as pods are concerned for which it does not count. */
export interface CrowdedBudget {
  /** Pods that it covers and does not count, because too many others cover them, too: it cannot judge without them. */
  uncounted: number;
}

/** The pods of a namespace that are under more budgets than are counted for one pod (N7). They are linked to none of them. */
export class Crowding {
  readonly #pods = new Set<PodRecord>();

  enter(pod: PodRecord, budgets: readonly CrowdedBudget[]): void {
    this.#pods.add(pod);
    pod.crowdedBy = budgets.length;
    for (const budget of budgets) budget.uncounted += 1;
  }

  leave(pod: PodRecord, budgets: readonly CrowdedBudget[]): void {
    this.#pods.delete(pod);
    pod.crowdedBy = 0;
    for (const budget of budgets) budget.uncounted -= 1;
  }

  /** One more budget covers a pod that has too many. */
  join(pod: PodRecord, budget: CrowdedBudget): void {
    pod.crowdedBy += 1;
    budget.uncounted += 1;
  }

  /** A budget goes. Returns the pods that have few enough without it, which are still here. */
  drop(covers: (pod: PodRecord) => boolean): readonly PodRecord[] {
    const relieved: PodRecord[] = [];
    for (const pod of this.#pods) {
      if (!covers(pod)) continue;
      if (pod.crowdedBy - 1 <= relievedBudgets) relieved.push(pod);
      else pod.crowdedBy -= 1;
    }
    return relieved;
  }
}
