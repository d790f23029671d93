/** Why a pod cannot run on a node, in the words of Kubernetes. */

import type { Taint } from 'kubernetes-types/core/v1.js';
import { tolerates } from '../daemonset/node-taints.ts';
import type { ClusterState } from './cluster-state.ts';
import { neighbourCheck } from './neighbours.ts';
import { hasUntolerated, type NodeFitCheck, wantsNode } from './node-fit.ts';
import type { NodeState } from './node-state.ts';
import type { PodNeeds } from './pod-needs.ts';
import { spreadCheck } from './spread.ts';

const fits: readonly string[] = [];
const unschedulableTaint: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** What is the same for all nodes is worked out once; the first check that objects has the word. */
export function checksFor(needs: PodNeeds, state: ClusterState): NodeFitCheck {
  const toleratesCordon = needs.tolerations.some((one) => tolerates(one, unschedulableTaint));
  const checks: NodeFitCheck[] = [
    (node) => (node.unschedulable && !toleratesCordon ? ['node(s) were unschedulable'] : fits),
    (node) => (hasUntolerated(needs, node) ? ['node(s) had untolerated taint(s)'] : fits),
    (node) => (wantsNode(needs, node) ? fits : ["node(s) didn't match Pod's node affinity/selector"]),
    (node) =>
      node.hasConflictingPort(needs.ports) ? ["node(s) didn't have free ports for the requested pod ports"] : fits,
    (node) => lacking(needs, node),
    ...spreadCheck(needs, state),
    ...neighbourCheck(needs, state),
  ];
  return (node) => {
    for (const check of checks) {
      const reasons = check(node);
      if (reasons.length > 0) return reasons;
    }
    return fits;
  };
}

function lacking(needs: PodNeeds, node: NodeState): readonly string[] {
  let reasons: string[] | undefined;
  if (node.podCount + 1 > (node.allocatable.get('pods') ?? 0)) reasons = ['Too many pods'];
  for (const [resource, amount] of needs.requests) {
    if (amount === 0 || amount <= node.free(resource)) continue;
    reasons ??= [];
    reasons.push(`Insufficient ${resource}`);
  }
  return reasons ?? fits;
}
