import type { StringMap } from '@holdfast/base/meta';
import type { Pod } from '../../api/pod.ts';
import type { GroupClaim } from './claim.ts';
import type { GroupSystem } from './system.ts';
import { conventions, nativeSystem } from './systems.ts';

const none: StringMap = {};
/** Shared by the many pods that have none. */
const noClaims: readonly GroupClaim[] = [];

/** The groups that a pod says it belongs to: its native one, and the one of the first convention that fits. */
export function claimsOf(pod: Pod): readonly GroupClaim[] {
  const native = claimBy(nativeSystem, pod);
  const other = conventionalClaim(pod);
  if (native === undefined) return other === undefined ? noClaims : [other];
  return other === undefined ? [native] : [native, other];
}

function conventionalClaim(pod: Pod): GroupClaim | undefined {
  for (const system of conventions) {
    const claim = claimBy(system, pod);
    if (claim !== undefined) return claim;
  }
  return undefined;
}

function claimBy(system: GroupSystem, { metadata, spec }: Pod): GroupClaim | undefined {
  const claim = system.claim(metadata.labels ?? none, metadata.annotations ?? none, spec);
  return claim === undefined ? undefined : { convention: system.name, ...claim };
}
