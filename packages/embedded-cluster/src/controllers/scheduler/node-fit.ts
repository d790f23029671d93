/** What pods ask of nodes themselves, whatever else runs there. */

import { meetsNodeRequirements } from '../daemonset/node-affinity.ts';
import { untolerated } from '../daemonset/node-taints.ts';
import type { NodeState } from './node-state.ts';
import type { PodNeeds } from './pod-needs.ts';

/** The reasons against a node; none: the pod fits. */
export type NodeFitCheck = (node: NodeState) => readonly string[];

export function hasUntolerated(needs: PodNeeds, node: NodeState): boolean {
  if (node.taints.length === 0 || node.node === undefined) return false;
  return untolerated(node.node, needs.tolerations).length > 0;
}

export function wantsNode({ spec }: PodNeeds, node: NodeState): boolean {
  if (spec.nodeSelector === undefined && spec.affinity?.nodeAffinity === undefined) return true;
  return node.node !== undefined && meetsNodeRequirements(spec, node.node);
}
