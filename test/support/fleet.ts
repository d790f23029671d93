import type { Reservation } from '../../packages/holdfast/src/api/ledger.ts';
import type { PodUnavailableBudget, PodUnavailableBudgetSpec } from '../../packages/holdfast/src/api/pub/pub.ts';
import type { OwnerState } from '../../packages/holdfast/src/core/owner.ts';
import type { World } from '../../packages/holdfast/src/core/world/world.ts';
import type { PodBuilder } from './builders.ts';
import { aLedger, anOwner, aPod, aPub, aReservation, ns, refTo } from './builders.ts';

export const groupIndex = 'leaderworkerset.sigs.k8s.io/group-index';

/** The pods of a LeaderWorkerSet, named NAME-GROUP-WORKER, with the label `app: NAME`. */
export function lwsPods(name: string, groups: number, size: number): PodBuilder[] {
  return Array.from({ length: groups * size }, (_, i) => {
    const group = Math.floor(i / size);
    const worker = i % size;
    return aPod(`${name}-${group}-${worker}`).labels({ app: name }).lws(name, group, worker, size);
  });
}

/** `count` pods NAME-0, NAME-1, ... with the label `app: NAME`, with or without an owner. */
export function podsOf(name: string, count: number, owner?: OwnerState): PodBuilder[] {
  return Array.from({ length: count }, (_, i) => {
    const pod = aPod(`${name}-${i}`).labels({ app: name });
    return owner === undefined ? pod : pod.ownedBy(owner);
  });
}

/** A Deployment and the one ReplicaSet through which it owns pods, each with a scale of its own. */
export function deploymentAndSet(
  name: string,
  replicas: number,
  ownReplicas: number = replicas,
): { readonly deployment: OwnerState; readonly replicaSet: OwnerState; readonly owners: readonly OwnerState[] } {
  const deployment = anOwner('Deployment', name, replicas);
  const replicaSet = anOwner('ReplicaSet', `${name}-1`, ownReplicas, { controller: refTo(deployment) });
  return { deployment, replicaSet, owners: [deployment, replicaSet] };
}

/** A PodUnavailableBudget over the pods with the label `app: NAME`. */
export function pubFor(
  app: string,
  spec: Omit<PodUnavailableBudgetSpec, 'selector'>,
  name: string = app,
): PodUnavailableBudget {
  return aPub(name, { selector: { matchLabels: { app } }, ...spec });
}

/** Adds reservations for evictions to the ledger, as if these pods had been allowed to go. */
export function reserveIn(world: World, ...pods: readonly string[]): void {
  const ledger = world.namespace(ns)?.ledger;
  const present = ledger?.spec?.reservations ?? [];
  const added = pods.map((pod) => aFirmReservation(world, pod));
  world.setLedger(ns, aLedger([...present, ...added], ledger?.spec?.watermark));
}

/** A reservation to which every budget that is in the world now has agreed (I14). */
export function aFirmReservation(
  world: World,
  pod: string,
  operation: Reservation['operation'] = 'EVICT',
  more: Partial<Reservation> = {},
): Reservation {
  return aReservation(pod, operation, { judgedBy: budgetDigests(world), ...more });
}

function budgetDigests(world: World): readonly string[] {
  const state = world.namespace(ns);
  return [...(state?.pdbs.values() ?? []), ...(state?.pubs.values() ?? [])].map((budget) => budget.digest);
}
