import type { Crd } from '../../crd/crd.ts';
import { type ResourceKey, resourceKey } from '../../objects.ts';

export const crds: ResourceKey = 'apiextensions.k8s.io/customresourcedefinitions';

/** Where the objects are that a CRD defines. */
export function customKey(crd: Crd): ResourceKey {
  return resourceKey(crd.spec.group, crd.status?.acceptedNames?.plural || crd.spec.names.plural);
}
