import type { StringMap } from '@holdfast/base/meta';
import type { Pod, PodSpec } from '../../api/pod.ts';
import type { GroupClaim } from './claim.ts';
import { conventions, nativeSystem } from './systems.ts';

const none: StringMap = {};
/** Shared by the many pods that have none. */
const noClaims: readonly GroupClaim[] = [];

/** The groups that a pod says it belongs to: its native one, and the one of the first convention that fits. */
export function claimsOf({ metadata, spec }: Pod): readonly GroupClaim[] {
  const labels = metadata.labels ?? none;
  const annotations = metadata.annotations ?? none;
  const native = nativeSystem.claim(labels, annotations, spec);
  const other = conventionalClaim(labels, annotations, spec);
  if (native === undefined) return other === undefined ? noClaims : [other];
  const own = { convention: nativeSystem.name, ...native };
  return other === undefined ? [own] : [own, other];
}

function conventionalClaim(
  labels: StringMap,
  annotations: StringMap,
  spec: PodSpec | undefined,
): GroupClaim | undefined {
  for (const { name, claim } of conventions) {
    const stated = claim(labels, annotations, spec);
    if (stated !== undefined) return { convention: name, ...stated };
  }
  return undefined;
}
