import type { World } from '../../core/world/world.ts';
import type { LookUpResult, OwnerLookUp } from './look-up.ts';
import { type OwnerPlace, ownerNameOf } from './owner-key.ts';

export interface TakenIn {
  readonly result: LookUpResult;
  /** Nothing more is to be asked about any owner of that name. */
  readonly settled: boolean;
}

/** Looks an owner up and brings the world up to date with what was found. */
export async function lookUpIntoWorld(
  world: World,
  lookUp: Pick<OwnerLookUp, 'find'>,
  place: OwnerPlace,
): Promise<TakenIn> {
  const begun = world.beginLookup(ownerNameOf(place));
  const result = await lookUp.find(place);
  if (result.kind !== 'found' && result.kind !== 'absent') return { result, settled: false };
  return { result, settled: world.endLookup(begun, result.kind === 'found' ? result.owner : undefined) };
}
