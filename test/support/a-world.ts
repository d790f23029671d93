import type { PodDisruptionBudget } from '../../packages/holdfast/src/api/pdb.ts';
import type { PodUnavailableBudget } from '../../packages/holdfast/src/api/pub/pub.ts';
import type { PodGroup, Workload } from '../../packages/holdfast/src/api/workload.ts';
import { type BudgetNumbers, budgetNumbers } from '../../packages/holdfast/src/core/budget/numbers.ts';
import { type DecideOptions, decide } from '../../packages/holdfast/src/core/decide/decide.ts';
import type { OwnerState } from '../../packages/holdfast/src/core/owner.ts';
import type { DisruptionRequest, Operation } from '../../packages/holdfast/src/core/request.ts';
import { collections } from '../../packages/holdfast/src/core/sync.ts';
import type { Blocker, Verdict } from '../../packages/holdfast/src/core/verdict.ts';
import { World } from '../../packages/holdfast/src/core/world/world.ts';
import { aLedger, ns, type PodBuilder } from './builders.ts';

interface Contents {
  readonly pods?: readonly PodBuilder[];
  readonly pdbs?: readonly PodDisruptionBudget[];
  readonly pubs?: readonly PodUnavailableBudget[];
  readonly podGroups?: readonly PodGroup[];
  readonly workloads?: readonly Workload[];
  readonly owners?: readonly OwnerState[];
  /** Nodes whose probe lease is fresh until far in the future. */
  readonly freshNodes?: readonly string[];
}

/** A synced world with an empty ledger. Its pod view has the resourceVersion 100. */
export function aWorld(contents: Contents = {}): World {
  const world = new World();
  for (const collection of collections) world.setSynced(collection, '100');
  world.setNamespace({ metadata: { name: ns } });
  world.setLedger(ns, aLedger());
  for (const owner of contents.owners ?? []) world.setOwner(owner);
  for (const workload of contents.workloads ?? []) world.upsertWorkload(workload);
  for (const podGroup of contents.podGroups ?? []) world.upsertPodGroup(podGroup);
  for (const pod of contents.pods ?? []) world.upsertPod(pod.build());
  for (const pdb of contents.pdbs ?? []) world.upsertPdb(pdb);
  for (const pub of contents.pubs ?? []) world.upsertPub(pub);
  for (const node of contents.freshNodes ?? []) world.setProbeLease(node, { renewedAt: 0, durationSeconds: 1_000_000 });
  return world;
}

export function ask(
  world: World,
  operation: Operation,
  pod: string,
  more: Partial<DisruptionRequest> = {},
  options: DecideOptions = {},
): Verdict {
  return decide(world, { operation, namespace: ns, pod, ...more }, 0, options);
}

/** A verdict in a few words: `allow WithinBudget` or `deny BudgetExhausted,ProbeVeto`. */
export function inShort(verdict: Verdict): string {
  if (verdict.result === 'allow') return `allow ${verdict.reason}`;
  return `deny ${verdict.blockers.map((one) => one.code).join(',')}`;
}

export function blockersOf(verdict: Verdict): readonly Blocker[] {
  return verdict.result === 'deny' ? verdict.blockers : [];
}

export function pdbNumbers(world: World, name: string, now = 0): BudgetNumbers | undefined {
  return budgetNumbers(world, { kind: 'PodDisruptionBudget', namespace: ns, name }, now);
}

export function pubNumbers(world: World, name: string, now = 0): BudgetNumbers | undefined {
  return budgetNumbers(world, { kind: 'PodUnavailableBudget', namespace: ns, name }, now);
}
