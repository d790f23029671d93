import type { ResourceType, SubresourceType } from '../kinds/resource-type.ts';
import type { JsonObject } from '../objects.ts';
import type { ServedGroup } from './served-groups.ts';

/** All groups, versions and resources in one document, so that a client needs two requests instead of dozens. */

export type AggregatedVersion = 'v2' | 'v2beta1';

export function aggregatedDiscovery(groups: readonly ServedGroup[], version: AggregatedVersion): JsonObject {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(describeGroup),
  };
}

function describeGroup({ group, versions }: ServedGroup): JsonObject {
  return {
    metadata: group === '' ? {} : { name: group },
    versions: versions.map(({ version, types }) => ({
      version,
      resources: types.map(describeResource),
      freshness: 'Current',
    })),
  };
}

function describeResource(type: ResourceType): JsonObject {
  const subresources = [...type.subresources.values()].map((subresource) => describeSubresource(type, subresource));
  return {
    resource: type.plural,
    responseKind: responseKind(type, undefined),
    scope: type.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: type.singular,
    verbs: type.verbs,
    ...(type.shortNames.length > 0 ? { shortNames: type.shortNames } : {}),
    ...(type.categories.length > 0 ? { categories: type.categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}

function describeSubresource(type: ResourceType, subresource: SubresourceType): JsonObject {
  return {
    subresource: subresource.name,
    responseKind: responseKind(type, subresource),
    verbs: subresource.verbs,
  };
}

/** Built-in kinds leave out the group and version that the path already names; those of CRDs repeat them. */
function responseKind(type: ResourceType, subresource: SubresourceType | undefined): JsonObject {
  const { kind } = subresource ?? type;
  if (subresource?.version !== undefined) return { group: subresource.group ?? '', version: subresource.version, kind };
  return type.custom === undefined
    ? { group: '', version: '', kind }
    : { group: type.group, version: type.version, kind };
}
