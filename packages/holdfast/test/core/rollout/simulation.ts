import { formatRolloutState } from '../../../src/core/rollout/format.ts';
import { planEnforcedRollout } from '../../../src/core/rollout/plan-rollout.ts';
import type { Removal, RolloutPlan, VerdictOf } from '../../../src/core/rollout/state.ts';
import { at } from './builders.ts';
import { deletePod, isHealthy, isReplica, kubeletPass, type ModelCluster, note } from './model-cluster.ts';
import { controllerPass } from './model-controller.ts';
import { viewPod, viewSet } from './model-view.ts';

export interface SimulationOptions {
  readonly seconds: number;
  readonly verdictOf?: VerdictOf;
  /** Changes when a budget may answer differently; the planner's caller hears of that by its own watch. */
  readonly budgetVersion?: () => string;
  /** Sees the cluster just before a removal of ours takes effect. */
  readonly onRemoval?: (cluster: ModelCluster, removal: Removal) => void;
}

/**
 * Kubelets, the built-in controller and our planner side by side, second by second. The planner is asked as its caller
 * would ask it: when something in its view changed, or when the moment it named has come. A moment that it forgets to name
 * is therefore a rollout that never ends.
 */
export function simulate(cluster: ModelCluster, options: SimulationOptions): void {
  const end = cluster.now + options.seconds;
  const memory: Memory = { view: '', changed: cluster.now, state: '' };
  for (; cluster.now < end && cluster.now < memory.changed + quiet && !isSettled(cluster); cluster.now += 1) {
    kubeletPass(cluster);
    controllerPass(cluster);
    askPlanner(cluster, options, memory);
  }
}

/** Longer than anything here takes: after so many seconds without a change nothing will change. */
const quiet = 150;

interface Memory {
  view: string;
  changed: number;
  state: string;
  nextCheckAt?: number | undefined;
}

function askPlanner(cluster: ModelCluster, options: SimulationOptions, memory: Memory): void {
  const set = viewSet(cluster);
  const pods = cluster.pods.map((pod) => viewPod(cluster, pod));
  const view = JSON.stringify([set, pods, options.budgetVersion?.()]);
  const due = memory.nextCheckAt !== undefined && memory.nextCheckAt <= at(cluster.now);
  if (view === memory.view && !due) return;
  const plan = planEnforcedRollout(set, pods, options.verdictOf ?? (() => ({ result: 'allow' })), at(cluster.now));
  if (view !== memory.view) memory.changed = cluster.now;
  memory.view = view;
  memory.nextCheckAt = plan.nextCheckAt;
  tell(cluster, plan, memory);
  if (plan.removal !== undefined) act(cluster, plan.removal, options);
}

function tell(cluster: ModelCluster, plan: RolloutPlan, memory: Memory): void {
  const state = formatRolloutState(plan.state);
  if (state !== memory.state)
    note(cluster, `holdfast ${state.replaceAll(/\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)\.000Z/g, '$1')}`);
  memory.state = state;
}

function act(cluster: ModelCluster, removal: Removal, options: SimulationOptions): void {
  const pod = cluster.pods.find((each) => each.uid === removal.uid);
  if (pod === undefined) throw new Error(`${removal.pod} is not there to be removed`);
  options.onRemoval?.(cluster, removal);
  deletePod(cluster, pod);
}

/** Every replica is there, healthy and where the partition wants it, and nothing else is. */
export function isSettled(cluster: ModelCluster): boolean {
  const { set, pods } = cluster;
  if (pods.length !== set.replicas || !pods.every((pod) => isReplica(cluster, pod) && isHealthy(cluster, pod)))
    return false;
  return pods.every((pod) => pod.ordinal < set.start + set.partition || pod.revision === set.template);
}
