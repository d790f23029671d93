/** How many pods the controller of a pod is asked to run. */

import type { OwnerReference } from 'kubernetes-types/meta/v1.js';
import { scaleOf } from '../../crd/scale.ts';
import type { ResourceType, ResourceTypes } from '../../kinds/resource-type.ts';
import { type KubeObject, type ResourceKey, splitApiVersion } from '../../objects.ts';
import { scalePaths } from '../../registry/scale.ts';
import type { View } from '../../view.ts';
import { controllerOf } from '../common/owners.ts';

export type ScaleLookup =
  | { readonly kind: 'scale'; readonly uid: string; readonly replicas: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'error'; readonly message: string };

const none: ScaleLookup = { kind: 'none' };

export type FindScale = (controller: OwnerReference, namespace: string) => ScaleLookup;

/** Built-in kinds first, then anything that is served with a scale; the first that knows the controller has the word. */
export function createFindScale(view: View, types: ResourceTypes): FindScale {
  return (controller, namespace) => {
    const finders: FindScale[] = [
      (reference) =>
        isKind(reference, 'ReplicationController', [''])
          ? direct(view, 'replicationcontrollers', reference, namespace)
          : none,
      (reference) => (isReplicaSet(reference) ? ofDeployment(view, reference, namespace) : none),
      (reference) => (isReplicaSet(reference) ? ofReplicaSet(view, reference, namespace) : none),
      (reference) =>
        isKind(reference, 'StatefulSet', ['apps']) ? direct(view, 'apps/statefulsets', reference, namespace) : none,
      (reference) => ofServed(view, types, reference, namespace),
    ];
    for (const finder of finders) {
      const found = finder(controller, namespace);
      if (found.kind !== 'none') return found;
    }
    return none;
  };
}

const appsGroups = ['apps', 'extensions'] as const;

function isKind(reference: OwnerReference, kind: string, groups: readonly string[]): boolean {
  return reference.kind === kind && groups.includes(splitApiVersion(reference.apiVersion).group);
}

function isReplicaSet(reference: OwnerReference): boolean {
  return isKind(reference, 'ReplicaSet', appsGroups);
}

/** The object that the reference means, not another one that took its name. */
function referenced(
  view: View,
  resource: ResourceKey,
  reference: OwnerReference,
  namespace: string,
): KubeObject | undefined {
  const object = view.get(resource, namespace, reference.name);
  return object?.metadata.uid === reference.uid ? object : undefined;
}

function asScale(object: KubeObject): ScaleLookup {
  const { replicas } = (object['spec'] ?? {}) as { replicas?: number };
  return { kind: 'scale', uid: object.metadata.uid ?? '', replicas: replicas ?? 1 };
}

function direct(view: View, resource: ResourceKey, reference: OwnerReference, namespace: string): ScaleLookup {
  const object = referenced(view, resource, reference, namespace);
  return object === undefined ? none : asScale(object);
}

function ofDeployment(view: View, reference: OwnerReference, namespace: string): ScaleLookup {
  const set = referenced(view, 'apps/replicasets', reference, namespace);
  const owner = set && controllerOf(set);
  return owner && isKind(owner, 'Deployment', appsGroups) ? direct(view, 'apps/deployments', owner, namespace) : none;
}

function ofReplicaSet(view: View, reference: OwnerReference, namespace: string): ScaleLookup {
  const set = referenced(view, 'apps/replicasets', reference, namespace);
  return set === undefined || controllerOf(set)?.kind === 'Deployment' ? none : asScale(set);
}

function ofServed(view: View, types: ResourceTypes, reference: OwnerReference, namespace: string): ScaleLookup {
  const { group, version } = splitApiVersion(reference.apiVersion);
  const type = types.byKind(group, version, reference.kind);
  if (type === undefined) {
    return { kind: 'error', message: `no matches for kind "${reference.kind}" in version "${reference.apiVersion}"` };
  }
  if (!type.subresources.has('scale')) {
    const name = group === '' ? type.plural : `${type.plural}.${group}`;
    return { kind: 'error', message: `${name} does not implement the scale subresource` };
  }
  const object = referenced(view, type.key, reference, namespace);
  return object === undefined ? none : readScale(types.storage(type.key) ?? type, object);
}

function readScale(type: ResourceType, object: KubeObject): ScaleLookup {
  const paths = scalePaths(type);
  if (!paths) return none;
  try {
    return { kind: 'scale', uid: object.metadata.uid ?? '', replicas: scaleOf(object, paths).spec.replicas ?? 0 };
  } catch (error) {
    return { kind: 'error', message: error instanceof Error ? error.message : String(error) };
  }
}
