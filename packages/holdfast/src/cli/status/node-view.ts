import { compareStrings } from '../../core/compare.ts';
import { type DrainSimulation, podKeyOf, simulateDrain } from '../../core/drain/simulate.ts';
import type { PodRecord } from '../../core/world/pod-record.ts';
import type { World } from '../../core/world/world.ts';
import type { SeenNode } from '../../observe/once/nodes.ts';

/** How far one node could be drained as things are, apart from all others. */
export interface NodeView {
  readonly name: string;
  /** Absent where nodes may not be read. */
  readonly ready?: boolean;
  readonly cordoned?: boolean;
  /** Those that a drain would evict: neither of DaemonSets nor of the kubelet's own. */
  readonly pods: number;
  readonly now: number;
  /** They can go when others that went are back. */
  readonly later: number;
  /** They cannot go as things are. */
  readonly stuck: number;
  /** Why pods cannot go now: how many pods for each reason. */
  readonly reasons: Readonly<Record<string, number>>;
}

/** Owners whose pods a drain leaves alone: they would be back at once, or are the kubelet's. */
const leftAlone: ReadonlySet<string> = new Set(['DaemonSet', 'Node']);

/** Whether a drain would evict the pod. */
export function isDrained({ owner }: PodRecord): boolean {
  return owner === undefined || !leftAlone.has(owner.kind);
}

/** Pods that a drain would evict, by node. */
export function podsByNode(world: World): ReadonlyMap<string, readonly PodRecord[]> {
  const byNode = new Map<string, PodRecord[]>();
  for (const state of world.namespaces()) {
    for (const pod of state.pods.values()) {
      if (pod.node === undefined || pod.node === '' || !isDrained(pod)) continue;
      const pods = byNode.get(pod.node);
      if (pods === undefined) byNode.set(pod.node, [pod]);
      else pods.push(pod);
    }
  }
  return byNode;
}

/** A node, with no more than its name where nodes may not be read. */
export type NamedNode = SeenNode | { readonly name: string };

/** @param nodes undefined: they may not be read, and those are shown on which pods run */
export function nodeViews(world: World, nodes: readonly SeenNode[] | undefined, now: number): readonly NodeView[] {
  const byNode = podsByNode(world);
  const seen: readonly NamedNode[] = nodes ?? [...byNode.keys()].map((name) => ({ name }));
  return [...seen]
    .sort((a, b) => compareStrings(a.name, b.name))
    .map((node) => {
      const pods = byNode.get(node.name) ?? [];
      return nodeView(node, pods.length, simulateDrain(world, pods.map(podKeyOf), now, { order: 'any' }));
    });
}

export function nodeView(node: NamedNode, pods: number, drained: DrainSimulation): NodeView {
  const { name } = node;
  const state = 'ready' in node ? { ready: node.ready, cordoned: node.cordoned } : {};
  return { name, ...state, ...countsOf(pods, drained) };
}

function countsOf(
  pods: number,
  { rounds, waiting, stuck }: DrainSimulation,
): Pick<NodeView, 'pods' | 'now' | 'later' | 'stuck' | 'reasons'> {
  const now = rounds[0]?.length ?? 0;
  const reasons: Record<string, number> = {};
  for (const { blockers } of waiting) {
    for (const code of new Set(blockers.map((one) => one.code))) reasons[code] = (reasons[code] ?? 0) + 1;
  }
  return { pods, now, later: pods - now - stuck.length, stuck: stuck.length, reasons };
}
