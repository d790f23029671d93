import type { World } from '../../packages/holdfast/src/core/world/world.ts';
import { ask, aWorld, inShort } from './a-world.ts';
import { anOwner, aPub, type PodBuilder } from './builders.ts';

/** A budget that covers nothing, and refuses what it may cover: it shows which chains of owners are open (U1). */
const elsewhere = aPub('b', {
  targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'elsewhere' },
  minAvailable: 9,
});

/** How a chain of owners looks through that budget. */
export const known = 'allow NotProtected';
export const unknown = 'deny OwnerNotResolved';
export const gone = 'allow WorkloadGone';

export function ownerView(...pods: readonly PodBuilder[]): World {
  const world = aWorld({ pods, pubs: [elsewhere] });
  world.setOwner(anOwner('StatefulSet', 'elsewhere', 1));
  return world;
}

export function chainState(world: World, name = 'p'): string {
  return inShort(ask(world, 'EVICT', name));
}

export function unknownNames(world: World): readonly string[] {
  return [...world.unknownOwners()].map(({ kind, name }) => `${kind} ${name}`);
}
