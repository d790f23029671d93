import type { ClusterState } from './cluster-state.ts';
import type { DomainCounts } from './domain-counts.ts';
import type { NodeFitCheck } from './node-fit.ts';
import type { NodeState } from './node-state.ts';
import type { PodNeeds } from './pod-needs.ts';

/** Pods that must run near others, or must not; and others that do not want this one near them. */
export function neighbourCheck(needs: PodNeeds, state: ClusterState): readonly NodeFitCheck[] {
  const repelled = [...state.repelledFrom(needs)];
  const checks: NodeFitCheck[] = [];
  if (needs.affinity.length > 0) checks.push(attraction(needs, state));
  if (needs.antiAffinity.length > 0) {
    const avoided = needs.antiAffinity.map((term) => state.countsOf([term], term.topologyKey));
    checks.push((node) => (isNearAny(node, avoided) ? ["node(s) didn't match pod anti-affinity rules"] : []));
  }
  if (repelled.length > 0) {
    checks.push((node) =>
      isNearAny(node, repelled) ? ["node(s) didn't satisfy existing pods anti-affinity rules"] : [],
    );
  }
  return checks;
}

function attraction(needs: PodNeeds, state: ClusterState): NodeFitCheck {
  const wanted = needs.affinity.map((term) => state.countsOf(needs.affinity, term.topologyKey));
  // The first pod of a group that wants to be together has no other pod to join.
  const isFirst =
    wanted.every(({ byDomain }) => byDomain.size === 0) && needs.affinity.every((term) => state.selects(term, needs));
  return (node) =>
    wanted.every((counts) => {
      const domain = node.label(counts.topologyKey);
      return domain !== undefined && (isFirst || counts.inDomain(domain) > 0);
    })
      ? []
      : ["node(s) didn't match pod affinity rules"];
}

function isNearAny(node: NodeState, others: readonly DomainCounts[]): boolean {
  return others.some((counts) => {
    const domain = node.label(counts.topologyKey);
    return domain !== undefined && counts.inDomain(domain) > 0;
  });
}
