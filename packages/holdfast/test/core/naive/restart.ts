import type { World } from '../../../src/core/world/world.ts';
import { newWorld } from './compare.ts';
import type { Moment } from './events.ts';
import { keyOf, nameKey } from './owners.ts';
import { observe } from './peaks.ts';
import type { NaiveState } from './state.ts';

/** The longest chain of owners (O1): each look-up may show the next one. */
const lookUps = 8;

/**
 * The naive side of a restart: what the process remembered is forgotten, and only what the API server stores is known, the ledgers with
 * the sizes of groups among it (G5).
 */
export function forgotten(state: NaiveState): NaiveState {
  const empty = { peaks: new Map(), lookedUpAt: new Map(), pointedAtFirst: new Map(), orphaned: new Set<string>() };
  let known = observe({ ...state, ...empty });
  for (let i = 0; i < lookUps; i += 1) {
    const all = [...known.owners, ...known.goneOwners].map((owner) => [nameKey(keyOf(owner)), known.tick] as const);
    known = observe({ ...known, lookedUpAt: new Map(all) });
  }
  return known;
}

/** The engine's side: a new world that is told what the API server has. */
export function restarted(before: World, { state }: Moment): World {
  const world = newWorld();
  for (const { name, ledger } of before.namespaces()) if (ledger !== undefined) world.setLedger(name, ledger);
  for (const namespace of state.namespaces) world.setNamespace(namespace);
  for (const workload of state.workloads) world.upsertWorkload(workload);
  for (const podGroup of state.podGroups) world.upsertPodGroup(podGroup);
  for (const pdb of state.pdbs) world.upsertPdb(pdb);
  for (const pub of state.pubs) world.upsertPub(pub);
  for (const pod of state.pods) world.upsertPod(pod);
  for (const [node, lease] of state.leases) world.setProbeLease(node, lease);
  for (let i = 0; i < lookUps; i += 1) {
    for (const owner of state.owners) world.setOwner(owner);
    for (const owner of state.goneOwners) world.setOwnerGone(owner);
  }
  for (const name of state.deleted) world.deleteNamespace(name);
  return world;
}
