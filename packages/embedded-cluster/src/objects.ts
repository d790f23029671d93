/** What every object of the cluster has. Objects that the store or the view hands out are never changed: clone first. */

import type { ManagedFieldsEntry, OwnerReference } from 'kubernetes-types/meta/v1.js';

export type JsonObject = Record<string, unknown>;

export interface Metadata {
  name: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
  selfLink?: string;
}

export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: Metadata;
  [field: string]: unknown;
}

/**
 * Names a collection of stored objects, whatever version a client reads them in: the plural for the core group, else
 * `group/plural`. Examples: `pods`, `apps/statefulsets`, `policy/poddisruptionbudgets`.
 */
export type ResourceKey = string;

export function resourceKey(group: string, plural: string): ResourceKey {
  return group === '' ? plural : `${group}/${plural}`;
}

/** `namespace/name`, or the bare name for objects outside namespaces. */
export function objectKey(namespace: string | undefined, name: string): string {
  return namespace ? `${namespace}/${name}` : name;
}

export function keyOf(object: { metadata: { namespace?: string; name?: string } }): string {
  return objectKey(object.metadata.namespace, object.metadata.name ?? '');
}

export function splitKey(key: string): { namespace: string; name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { namespace: '', name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

export function splitApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

export function joinApiVersion(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Copies JSON. Several times faster than structuredClone, and bounded: stored JSON has passed the depth limit. */
export function clone<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(clone) as T;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    const part = clone((value as JsonObject)[key]);
    // Assigning to a key that a person chose must not set something else.
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: part, enumerable: true, configurable: true, writable: true });
    else copy[key] = part;
  }
  return copy as T;
}
