import { checksFor } from './checks.ts';
import { type ClusterState, zoneLabel } from './cluster-state.ts';
import type { DomainCounts } from './domain-counts.ts';
import type { NodeState } from './node-state.ts';
import type { PodNeeds } from './pod-needs.ts';

export type Choice =
  | { readonly kind: 'node'; readonly name: string; readonly nextStart: number }
  | { readonly kind: 'none'; readonly message: string };

/** Nodes that fit and are compared; in a large cluster the rest is not even looked at. */
const enough = 100;

/** Looks at nodes from `start` on until enough of them fit, and takes the best of those. */
export function chooseNode(needs: PodNeeds, state: ClusterState, start: number): Choice {
  const { nodes } = state;
  if (nodes.length === 0) return { kind: 'none', message: 'no nodes available to schedule pods' };
  const check = checksFor(needs, state);
  const siblings = needs.owner === undefined ? undefined : state.siblingsOf(needs.owner);
  const reasons = new Map<string, number>();
  let best: NodeState | undefined;
  let fitting = 0;
  let looked = 0;
  for (; looked < nodes.length && fitting < enough; looked += 1) {
    const node = nodes[(start + looked) % nodes.length] as NodeState;
    const objections = check(node);
    for (const reason of objections) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    if (objections.length > 0) continue;
    fitting += 1;
    if (best === undefined || isBetter(node, best, siblings)) best = node;
  }
  if (best === undefined) return { kind: 'none', message: unschedulableMessage(nodes.length, reasons) };
  return { kind: 'node', name: best.name, nextStart: (start + looked) % nodes.length };
}

/** Fewer pods of the same owner in the zone, then on the node; then the emptier node; then the first by name. */
function isBetter(node: NodeState, best: NodeState, siblings: DomainCounts | undefined): boolean {
  if (siblings !== undefined) {
    const inZones = siblings.inDomain(zoneOf(node)) - siblings.inDomain(zoneOf(best));
    if (inZones !== 0) return inZones < 0;
    const onNodes = (siblings.byNode.get(node.name) ?? 0) - (siblings.byNode.get(best.name) ?? 0);
    if (onNodes !== 0) return onNodes < 0;
  }
  const loads = node.load - best.load;
  return loads === 0 ? node.name < best.name : loads < 0;
}

function zoneOf(node: NodeState): string {
  return node.label(zoneLabel) ?? '';
}

function unschedulableMessage(total: number, reasons: ReadonlyMap<string, number>): string {
  const counted = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${total} nodes are available: ${counted.join(', ')}.`;
}
