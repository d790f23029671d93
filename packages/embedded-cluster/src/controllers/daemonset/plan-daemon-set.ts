import { isFinishedPod, isReady, isTerminating, podPhaseOf } from '../common/pods.ts';
import type { PodObject } from '../common/workloads.ts';
import { type DaemonSetInput, isServing, type NodePods, surgeOf } from './daemon-input.ts';
import { fitOn, isUpdated, oldestFirst, targetNode } from './daemon-pods.ts';
import { planUpdate } from './rolling-update.ts';

/** Pods created or deleted in one look. */
const burstDaemons = 250;

export interface DaemonSetPlan {
  /** Names of nodes that get a pod. */
  readonly create: readonly string[];
  readonly remove: readonly PodObject[];
  /** Removed because they ended: their nodes back off. */
  readonly ended: readonly { readonly pod: PodObject; readonly node: string }[];
  readonly requeueMs: number | undefined;
}

/** Without those that have ended and are being deleted: their place is free. */
export function podsByNode(pods: readonly PodObject[]): ReadonlyMap<string, readonly PodObject[]> {
  const byNode = new Map<string, PodObject[]>();
  for (const pod of pods) {
    const node = targetNode(pod);
    const isOver = isTerminating(pod) && isFinishedPod(pod);
    if (node === undefined || isOver) continue;
    const known = byNode.get(node);
    if (known) known.push(pod);
    else byNode.set(node, [pod]);
  }
  return byNode;
}

/** One pod on each eligible node. Only when that is so, an update may replace some. */
export function planDaemonSet(input: DaemonSetInput): DaemonSetPlan {
  const { set } = input;
  const none: DaemonSetPlan = { create: [], remove: [], ended: [], requeueMs: undefined };
  if (set.metadata.deletionTimestamp !== undefined) return none;
  const byNode = podsByNode(input.pods);
  const nodes = input.nodes.map((node) => ({
    name: node.metadata.name,
    fit: fitOn(set, node),
    pods: byNode.get(node.metadata.name) ?? [],
  }));
  const managed = manage(input, nodes);
  const idle = managed.create.length === 0 && managed.remove.length === 0;
  if (!idle || set.spec.updateStrategy?.type === 'OnDelete') return limited(managed);
  const { create, remove } = planUpdate(input, nodes);
  return limited({ ...managed, create, remove });
}

function limited(plan: DaemonSetPlan): DaemonSetPlan {
  return { ...plan, create: plan.create.slice(0, burstDaemons), remove: plan.remove.slice(0, burstDaemons) };
}

interface Changes {
  readonly create: string[];
  readonly remove: PodObject[];
  readonly ended: { pod: PodObject; node: string }[];
  requeueMs: number | undefined;
}

function manage(input: DaemonSetInput, nodes: readonly NodePods[]): Changes {
  const changes: Changes = { create: [], remove: [], ended: [], requeueMs: undefined };
  for (const node of nodes) {
    if (node.fit.shouldRun && node.pods.length === 0) changes.create.push(node.name);
    else if (node.fit.mayStay) tend(input, node, changes);
    else changes.remove.push(...node.pods.filter((pod) => !isTerminating(pod)));
  }
  const known = new Set(nodes.map(({ name }) => name));
  // Bound for a node that is gone: no scheduler will ever take them.
  const stranded = input.pods.filter((pod) => !pod.spec.nodeName && !known.has(targetNode(pod) ?? ''));
  changes.remove.push(...stranded.filter((pod) => !isTerminating(pod)));
  return changes;
}

/** On a node that keeps its pods: ended ones go, and so do those that are too many. */
function tend(input: DaemonSetInput, node: NodePods, changes: Changes): void {
  const staying = node.pods.filter((pod) => !isTerminating(pod));
  for (const pod of staying) {
    const phase = podPhaseOf(pod);
    const wait = phase === 'Failed' ? input.backoffMs(node.name) : 0;
    if (phase !== 'Failed' && phase !== 'Succeeded') continue;
    if (wait > 0) {
      changes.requeueMs = Math.min(changes.requeueMs ?? wait, wait);
    } else {
      changes.remove.push(pod);
      changes.ended.push({ pod, node: node.name });
    }
  }
  const running = staying.filter((pod) => !['Failed', 'Succeeded'].includes(podPhaseOf(pod))).sort(oldestFirst);
  if (surgeOf(input.set, 1) === 0) changes.remove.push(...running.slice(1));
  else if (running.length === 0 && node.fit.shouldRun) changes.create.push(node.name);
  else changes.remove.push(...surplusWithSurge(input, running));
}

/** An old and a new pod may be there together while the old one serves and the new one does not yet. */
function surplusWithSurge(input: DaemonSetInput, running: readonly PodObject[]): readonly PodObject[] {
  if (running.length <= 1) return [];
  const updated = running.filter((pod) => isUpdated(input.set, pod, input.hash));
  const old = running.filter((pod) => !updated.includes(pod));
  const surplus = [...updated.slice(1), ...old.slice(1)];
  const [newest] = updated;
  const [oldest] = old;
  const replaced = newest && oldest && (!isReady(oldest) || isServing(input, newest));
  return replaced ? [...surplus, oldest] : surplus;
}
