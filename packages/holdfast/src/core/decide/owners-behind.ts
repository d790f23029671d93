import type { RefusalCode } from '../../api/refusals/reasons.ts';
import type { OwnerName } from '../owner.ts';
import type { DisruptionRequest } from '../request.ts';
import type { Blocker, Denied } from '../verdict.ts';
import type { NamespaceState } from '../world/namespace-state.ts';
import { chainOf } from '../world/owners/owner-chain.ts';
import { nameOf, type OwnerNode } from '../world/owners/owner-node.ts';
import type { World } from '../world/world.ts';

/** Refusals that no owner could change: what was judged was not known well enough. */
const blind: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  'NotSynced',
  'LedgerUnknown',
  'LedgerBusy',
  'CacheStale',
  'PodUnknown',
]);

/**
 * The owners that a refusal may depend on: those of the pod, which is free when one of them is deleted or wants no pods (X4), and
 * those whose scales the budgets that refuse are counted by (O5).
 */
export function ownersBehind(world: World, request: DisruptionRequest, denied: Denied): readonly OwnerName[] {
  const state = world.namespace(request.namespace);
  const pod = state?.pods.get(request.pod);
  if (state === undefined || pod === undefined || denied.blockers.every(({ code }) => blind.has(code))) return [];
  const owners = new Set<OwnerNode>(chainOf(pod.controller));
  if (pod.root !== undefined) owners.add(pod.root);
  for (const blocker of denied.blockers) for (const owner of countedBy(state, blocker)) owners.add(owner);
  return [...owners].map((owner) => nameOf(state.name, owner));
}

function countedBy({ pdbs, pubs }: NamespaceState, { budget }: Blocker): Iterable<OwnerNode> {
  if (budget === undefined) return [];
  const found = budget.kind === 'PodUnavailableBudget' ? pubs.get(budget.name) : pdbs.get(budget.name);
  return found?.countedBy() ?? [];
}
