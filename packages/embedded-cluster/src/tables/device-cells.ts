import { isThere, listAt, objectAt, specOf, statusOf, textAt } from '../kinds/builtin/checks/read.ts';
import type { Cells } from '../kinds/builtin-types.ts';
import type { KubeObject, ResourceKey } from '../objects.ts';
import { ageOf } from './age.ts';

const resourceClaim: Cells = (object, nowMs) => [object.metadata.name, claimState(object), ageOf(object, nowMs)];

function claimState(claim: KubeObject): string {
  const status = statusOf(claim);
  const deleted = isThere(claim.metadata.deletionTimestamp);
  const states = deleted ? ['deleted'] : [];
  if (!isThere(status['allocation'])) return [...states, ...(deleted ? [] : ['pending'])].join(',');
  return [...states, 'allocated', ...(listAt(status, 'reservedFor').length > 0 ? ['reserved'] : [])].join(',');
}

const resourceSlice: Cells = (object, nowMs) => {
  const spec = specOf(object);
  return [
    object.metadata.name,
    textAt(spec, 'nodeName'),
    textAt(spec, 'driver'),
    textAt(objectAt(spec, 'pool'), 'name'),
    ageOf(object, nowMs),
  ];
};

export const deviceCells: readonly (readonly [ResourceKey, Cells])[] = [
  ['resource.k8s.io/resourceclaims', resourceClaim],
  ['resource.k8s.io/resourceslices', resourceSlice],
];
