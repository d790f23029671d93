/** Names of things in the API, and where they are. */

export interface ResourceName {
  /** Empty: the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

export interface ObjectPlace {
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly subresource?: string;
}

export function groupPath(group: string): string | undefined {
  return joined(['apis', group]);
}

export function versionPath(group: string, version: string): string | undefined {
  return joined(group === '' ? ['api', version] : ['apis', group, version]);
}

/** All objects of a kind, in one namespace or in all. Undefined: there can be no such place. */
export function collectionPath(resource: ResourceName, namespace: string | undefined): string | undefined {
  const root = versionPath(resource.group, resource.version);
  const rest = joined(
    resource.namespaced && namespace !== undefined ? ['namespaces', namespace, resource.plural] : [resource.plural],
  );
  return root === undefined || rest === undefined ? undefined : root + rest;
}

export function objectPath(resource: ResourceName, place: ObjectPlace): string | undefined {
  if (resource.namespaced && place.namespace === undefined) return undefined;
  const collection = collectionPath(resource, place.namespace);
  const rest = joined([place.name, ...(place.subresource === undefined ? [] : [place.subresource])]);
  return collection === undefined || rest === undefined ? undefined : collection + rest;
}

/** An empty name, or one that a server takes for a step up the path, would be another request than was meant. */
function joined(segments: readonly string[]): string | undefined {
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..')) return undefined;
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export function withQuery(path: string, query: Query): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value));
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}
