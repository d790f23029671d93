import { type DrainSimulation, podKeyOf, simulateDrain } from '../../../core/drain/simulate.ts';
import type { PodRecord } from '../../../core/world/pod-record.ts';
import type { World } from '../../../core/world/world.ts';
import type { NodeState, NodeTile } from '../../../ui/model.ts';
import { type NamedNode, type NodeView, nodeView } from '../../status/node-view.ts';

/** A node, the pods of it that a drain would evict, and what the user's rights hide. */
export interface TileFacts {
  readonly node: NamedNode;
  readonly pods: readonly PodRecord[];
  readonly hidden: Hidden;
}

/** Which answers a missing right makes unknown. */
export interface Hidden {
  readonly everything: boolean;
  /** Refusals with these codes may come from the missing right alone. */
  readonly codes: ReadonlySet<string>;
}

export interface JudgedNode {
  readonly tile: NodeTile;
  readonly drained: DrainSimulation;
}

const zoneLabel = 'topology.kubernetes.io/zone';

export function judgeNode(world: World, { node, pods, hidden }: TileFacts, now: number): JudgedNode {
  const drained = simulateDrain(world, pods.map(podKeyOf), now, { order: 'any' });
  const view = nodeView(node, pods.length, drained);
  return { tile: tileOf(view, zoneOf(node), nodeState(view, hidden)), drained };
}

/** Before it is judged. */
export function unjudgedTile(node: NamedNode, pods: number): NodeTile {
  const view = nodeView(node, pods, { rounds: [], waiting: [], stuck: [] });
  return { ...tileOf(view, zoneOf(node), 'unknown'), now: 0, later: 0, stuck: 0 };
}

export function zoneOf(node: NamedNode): string {
  return 'labels' in node ? (node.labels[zoneLabel] ?? '') : '';
}

export function tileOf({ name, ...counts }: NodeView, zone: string, state: NodeState): NodeTile {
  return { key: name, zone, state, ...counts };
}

export function nodeState(view: NodeView, hidden: Hidden): NodeState {
  const { cordoned = false, pods, later, stuck, reasons } = view;
  if (cordoned) return pods === 0 ? 'drained' : 'draining';
  if (hidden.everything) return 'unknown';
  if (later + stuck === 0) return 'can-go-now';
  // A refusal that the user's rights explain is no answer.
  const codes = Object.keys(reasons);
  if (codes.length > 0 && codes.every((code) => hidden.codes.has(code))) return 'unknown';
  return stuck > 0 ? 'blocked' : 'after-recovery';
}
