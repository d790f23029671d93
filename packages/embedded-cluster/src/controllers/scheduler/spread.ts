import type { ClusterState } from './cluster-state.ts';
import { hasUntolerated, type NodeFitCheck, wantsNode } from './node-fit.ts';
import type { NodeState } from './node-state.ts';
import type { PodNeeds, SpreadRule } from './pod-needs.ts';

const uneven = "node(s) didn't match pod topology spread constraints";
const unlabelled = `${uneven} (missing required label)`;

interface Balance {
  readonly rule: SpreadRule;
  readonly byDomain: ReadonlyMap<string, number>;
  readonly lowest: number;
  /** 1 where the pod itself is one of those to be spread. */
  readonly self: 0 | 1;
}

/** Pods spread evenly over the domains of a topology: no domain may be ahead of the emptiest by more than allowed. */
export function spreadCheck(needs: PodNeeds, state: ClusterState): readonly NodeFitCheck[] {
  if (needs.spread.length === 0) return [];
  const balances = needs.spread.map((rule) => balanceOf(rule, needs, state));
  return [(node) => balances.flatMap((balance) => objections(balance, node)).slice(0, 1)];
}

function objections({ rule, byDomain, lowest, self }: Balance, node: NodeState): readonly string[] {
  const domain = node.label(rule.term.topologyKey);
  if (domain === undefined) return [unlabelled];
  return (byDomain.get(domain) ?? 0) + self - lowest > rule.maxSkew ? [uneven] : [];
}

function balanceOf(rule: SpreadRule, needs: PodNeeds, state: ClusterState): Balance {
  const counts = state.countsOf([rule.term], rule.term.topologyKey);
  const keys = needs.spread.map(({ term }) => term.topologyKey);
  const byDomain = new Map<string, number>();
  for (const node of state.nodes) {
    if (!isCounted(rule, needs, node, keys)) continue;
    const domain = node.label(rule.term.topologyKey) as string;
    byDomain.set(domain, (byDomain.get(domain) ?? 0) + (counts.byNode.get(node.name) ?? 0));
  }
  const known = byDomain.size >= rule.minDomains;
  return { rule, byDomain, lowest: known ? lowestOf(byDomain) : 0, self: state.selects(rule.term, needs) ? 1 : 0 };
}

/** Only nodes in a domain of every rule, and that the pod could use as far as the rule cares, are compared. */
function isCounted(rule: SpreadRule, needs: PodNeeds, node: NodeState, keys: readonly string[]): boolean {
  if (keys.some((key) => node.label(key) === undefined)) return false;
  if (rule.honorsAffinity && !wantsNode(needs, node)) return false;
  return !(rule.honorsTaints && hasUntolerated(needs, node));
}

/** Not by Math.min(...): there may be more hosts than a call takes arguments. */
function lowestOf(byDomain: ReadonlyMap<string, number>): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (const count of byDomain.values()) if (count < lowest) lowest = count;
  return lowest;
}
