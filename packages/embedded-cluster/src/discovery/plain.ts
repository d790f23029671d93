import { createHash } from 'node:crypto';
import type { ResourceType, SubresourceType } from '../kinds/resource-type.ts';
import { type JsonObject, joinApiVersion } from '../objects.ts';
import type { ServedGroup, ServedVersion } from './served-groups.ts';

/** The discovery documents that every client understands, one for each level of the path. */

export function apiVersions(core: ServedGroup | undefined, serverAddress: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: core?.versions.map(({ version }) => version) ?? [],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** `/apis`: every group but the core one. */
export function apiGroupList(groups: readonly ServedGroup[]): JsonObject {
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: groups.filter(({ group }) => group !== '').map(describeGroup),
  };
}

export function apiGroup(group: ServedGroup): JsonObject {
  return { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(group) };
}

function describeGroup({ group, versions }: ServedGroup): JsonObject {
  const named = versions.map(({ version }) => ({ groupVersion: joinApiVersion(group, version), version }));
  return { name: group, versions: named, preferredVersion: named[0] };
}

export function apiResourceList(group: string, { version, types }: ServedVersion): JsonObject {
  return {
    kind: 'APIResourceList',
    // The oldest group says this about its objects and not about its own description.
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: joinApiVersion(group, version),
    resources: types.flatMap((type) => [
      describeResource(type),
      ...[...type.subresources.values()].map((subresource) => describeSubresource(type, subresource)),
    ]),
  };
}

function describeResource(type: ResourceType): JsonObject {
  return {
    name: type.plural,
    singularName: type.singular,
    namespaced: type.namespaced,
    kind: type.kind,
    verbs: type.verbs,
    ...(type.shortNames.length > 0 ? { shortNames: type.shortNames } : {}),
    ...(type.categories.length > 0 ? { categories: type.categories } : {}),
    ...(type.verbs.includes('list') ? { storageVersionHash: storageVersionHash(type) } : {}),
  };
}

function describeSubresource(type: ResourceType, { name, kind, group, version, verbs }: SubresourceType): JsonObject {
  return {
    name: `${type.plural}/${name}`,
    singularName: '',
    namespaced: type.namespaced,
    ...(version === undefined ? {} : { group: group ?? '', version }),
    kind,
    verbs,
  };
}

/** Tells two servers that keep objects in different versions apart. Events are kept in the shape of the core group. */
function storageVersionHash({ key, group, storageVersion, kind }: ResourceType): string {
  const storageGroup = key.includes('/') ? group : '';
  const digest = createHash('sha256').update(`${storageGroup}/${storageVersion}/${kind}`).digest();
  return digest.subarray(0, 8).toString('base64');
}
