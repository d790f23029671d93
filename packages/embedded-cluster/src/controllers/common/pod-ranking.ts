/** Which pods of a replica set are given up first. */

import { containerStatuses, createdAt, isActive, isReady, podPhaseOf, readySince } from './pods.ts';
import type { PodObject } from './workloads.ts';

const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';
const costPattern = /^-?(0|[1-9][0-9]{0,9})$/;

interface Ranked {
  readonly pod: PodObject;
  readonly node: string;
  readonly phase: number;
  readonly ready: boolean;
  readonly cost: number;
  readonly neighbours: number;
  readonly restarts: number;
}

/** Cheapest loss first. `related`: all pods of the set's siblings, which count as neighbours on a node. */
export function rankForDeletion(
  pods: readonly PodObject[],
  related: readonly PodObject[],
  nowMs: number,
): readonly PodObject[] {
  const perNode = new Map<string, number>();
  for (const pod of related) {
    const node = pod.spec.nodeName ?? '';
    if (node !== '' && isActive(pod)) perNode.set(node, (perNode.get(node) ?? 0) + 1);
  }
  return pods
    .map((pod) => rank(pod, perNode))
    .sort((left, right) => compare(left, right, nowMs))
    .map(({ pod }) => pod);
}

function rank(pod: PodObject, perNode: ReadonlyMap<string, number>): Ranked {
  const node = pod.spec.nodeName ?? '';
  const cost = pod.metadata.annotations?.[deletionCost] ?? '';
  return {
    pod,
    node,
    phase: ['Pending', 'Unknown', 'Running'].indexOf(podPhaseOf(pod)),
    ready: isReady(pod),
    cost: costPattern.test(cost) ? Number(cost) : 0,
    neighbours: perNode.get(node) ?? 0,
    restarts: Math.max(0, ...containerStatuses(pod).map((status) => status.restartCount)),
  };
}

function compare(left: Ranked, right: Ranked, nowMs: number): number {
  const assigned = Number(left.node !== '') - Number(right.node !== '');
  if (assigned !== 0) return assigned;
  if (left.phase !== right.phase) return left.phase - right.phase;
  if (left.ready !== right.ready) return left.ready ? 1 : -1;
  if (left.cost !== right.cost) return left.cost - right.cost;
  if (left.neighbours !== right.neighbours) return right.neighbours - left.neighbours;
  if (left.ready) {
    const ready = compareAges(left, right, readySince(left.pod), readySince(right.pod), nowMs);
    if (ready !== 0) return ready;
  }
  if (left.restarts !== right.restarts) return right.restarts - left.restarts;
  return compareAges(left, right, createdAt(left.pod), createdAt(right.pod), nowMs);
}

/** Younger first, in powers of two: among pods of about the same age the uid decides, so that no age group is favoured. */
function compareAges(
  left: Ranked,
  right: Ranked,
  leftMs: number | undefined,
  rightMs: number | undefined,
  nowMs: number,
): number {
  if (leftMs === rightMs) return 0;
  if (leftMs === undefined) return -1;
  if (rightMs === undefined) return 1;
  const difference = magnitude(nowMs - leftMs) - magnitude(nowMs - rightMs);
  if (difference !== 0) return difference;
  return (left.pod.metadata.uid ?? '') < (right.pod.metadata.uid ?? '') ? -1 : 1;
}

function magnitude(ageMs: number): number {
  return ageMs < 1 ? -1 : Math.floor(Math.log2(ageMs));
}
