/** What a request is about, read from its method, path and query alone. */

export type RequestInfo = ResourceRequest | PathRequest;

export interface ResourceRequest {
  readonly kind: 'resource';
  /** get, list, watch, create, update, patch, delete, deletecollection. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** What follows the subresource; nothing that we serve has any. */
  readonly rest: string;
}

export interface PathRequest {
  readonly kind: 'path';
  readonly verb: string;
  readonly path: string;
}

const verbs: Readonly<Record<string, string>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Subresources of the namespace object itself; any other third segment is a resource in the namespace. */
const namespaceSubresources = new Set(['status', 'finalize']);

export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const segments = path
    .split('/')
    .filter((segment) => segment !== '')
    .map(decodeSegment);
  const prefix = apiPrefix(segments);
  if (!prefix) return { kind: 'path', verb: method.toLowerCase(), path };
  const place = placeOf(segments.slice(prefix.length));
  if (!place) return { kind: 'path', verb: method.toLowerCase(), path };
  const name = place.name === '' ? nameSelected(query) : place.name;
  const verb = verbOf(method, place, query);
  return {
    kind: 'resource',
    verb,
    group: prefix.group,
    version: prefix.version,
    ...place,
    name: verb === 'list' || verb === 'watch' ? name : place.name,
  };
}

function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function apiPrefix(segments: readonly string[]): { length: number; group: string; version: string } | undefined {
  const [root, second, third] = segments;
  if (root === 'api' && second !== undefined && segments.length > 2) return { length: 2, group: '', version: second };
  if (root === 'apis' && third !== undefined && segments.length > 3)
    return { length: 3, group: second as string, version: third };
  return undefined;
}

type Place = Pick<ResourceRequest, 'namespace' | 'resource' | 'name' | 'subresource' | 'rest'>;

function placeOf(segments: readonly string[]): Place | undefined {
  const [first, second, third, ...more] = segments;
  if (first === undefined) return undefined;
  if (first === 'namespaces' && second !== undefined && third !== undefined && !namespaceSubresources.has(third)) {
    const [name, subresource, ...rest] = more;
    return {
      namespace: second,
      resource: third,
      name: name ?? '',
      subresource: subresource ?? '',
      rest: rest.join('/'),
    };
  }
  // A namespace is in itself, so that rights in it cover it.
  const namespace = first === 'namespaces' ? (second ?? '') : '';
  return { namespace, resource: first, name: second ?? '', subresource: third ?? '', rest: more.join('/') };
}

function verbOf(method: string, place: Place, query: URLSearchParams): string {
  const verb = verbs[method] ?? method.toLowerCase();
  if (place.name !== '') return verb;
  if (verb === 'get') return isTrue(query.get('watch')) ? 'watch' : 'list';
  return verb === 'delete' ? 'deletecollection' : verb;
}

export function isTrue(value: string | null): boolean {
  return value === 'true' || value === '1';
}

/** A list with `metadata.name=x` in its selector is authorized as a request for that one object. */
function nameSelected(query: URLSearchParams): string {
  return /(?:^|,)metadata\.name=([^,]*)/.exec(query.get('fieldSelector') ?? '')?.[1] ?? '';
}
