import type { OwnerReference } from 'kubernetes-types/meta/v1.js';
import type { ResourceType, ResourceTypes } from '../../kinds/resource-type.ts';
import { type KubeObject, splitApiVersion } from '../../objects.ts';
import type { View } from '../../view.ts';
import { type GarbageOwnerState, isWaiting, type OwnerFinding } from './judge.ts';

export interface LookupTools {
  readonly view: View;
  readonly types: ResourceTypes;
}

export function findOwners(tools: LookupTools, object: KubeObject): OwnerFinding[] {
  return (object.metadata.ownerReferences ?? []).map((reference) => ({
    reference,
    state: ownerState(tools, object, reference),
  }));
}

function ownerState(tools: LookupTools, object: KubeObject, reference: OwnerReference): GarbageOwnerState {
  const type = ownerType(tools.types, reference);
  if (!type) return 'unknown';
  const { namespace } = object.metadata;
  if (type.namespaced && !namespace) return 'invalid';
  const owner = tools.view.get(type.key, type.namespaced ? (namespace ?? '') : '', reference.name);
  if (owner?.metadata.uid !== reference.uid) return 'absent';
  return isWaiting(owner) ? 'waiting' : 'solid';
}

export function ownerType(types: ResourceTypes, { apiVersion, kind }: OwnerReference): ResourceType | undefined {
  const { group, version } = splitApiVersion(apiVersion);
  return types.byKind(group, version, kind);
}

/** The reference leads into another namespace, where an owner with this very identity does exist. */
export function isForeign(tools: LookupTools, { reference, state }: OwnerFinding): boolean {
  if (state !== 'absent' && state !== 'invalid') return false;
  const type = ownerType(tools.types, reference);
  return type?.namespaced === true && tools.view.list(type.key).some(({ metadata }) => metadata.uid === reference.uid);
}

export type Owned = ReturnType<View['dependentsOf']>[number];

/** Those that this object owns. A reference from another namespace does not count, nor does what is not served any more. */
export function dependentsOf({ view, types }: LookupTools, { metadata }: KubeObject): readonly Owned[] {
  const { namespace, uid } = metadata;
  if (uid === undefined) return [];
  return view
    .dependentsOf(uid)
    .filter(({ object }) => !namespace || object.metadata.namespace === namespace)
    .filter(({ resource }) => types.storage(resource) !== undefined);
}
