import { createHash } from 'node:crypto';
import { recordedVersion } from '../kinds/recorded.ts';
import type { ResourceType, ResourceTypes } from '../kinds/resource-type.ts';
import type { DocumentAnswer } from './discovery.ts';
import { pathsOf } from './openapi-operations.ts';
import { definitionsFor, schemaClosure, withPointers } from './openapi-schemas.ts';
import { pathOfVersion, servedGroups } from './served-groups.ts';

/** `/openapi/v3`: what clients check manifests with and explain kinds from. */
export interface OpenApi {
  index(): DocumentAnswer;
  /** `path` is what follows `/openapi/v3/`, `hash` the query parameter of that name. */
  document(path: string, hash: string | undefined): OpenApiAnswer;
}

export type OpenApiAnswer =
  /** `immutable`: the client named the content by its hash and may keep it for good. */
  | { readonly kind: 'found'; readonly answer: DocumentAnswer; readonly immutable: boolean }
  /** The client has an old hash. */
  | { readonly kind: 'moved'; readonly location: string }
  | { readonly kind: 'missing' };

interface VersionDocument {
  readonly types: readonly ResourceType[];
  readonly body: string;
  readonly hash: string;
}

export function createOpenApi(types: ResourceTypes): OpenApi {
  let generation: number | undefined;
  let served = new Map<string, readonly ResourceType[]>();
  /** A CRD changes one document; the others stay as they are. */
  const documents = new Map<string, VersionDocument>();

  function current(): ReadonlyMap<string, readonly ResourceType[]> {
    if (generation === types.generation) return served;
    generation = types.generation;
    served = new Map(
      servedGroups(types).flatMap(({ group, versions }) =>
        versions.map((of) => [pathOfVersion(group, of.version), of.types] as const),
      ),
    );
    for (const path of documents.keys()) if (!served.has(path)) documents.delete(path);
    return served;
  }

  function documentAt(path: string): VersionDocument | undefined {
    const wanted = current().get(path);
    if (!wanted) return undefined;
    const known = documents.get(path);
    if (known && sameItems(known.types, wanted)) return known;
    const made = makeDocument(wanted);
    documents.set(path, made);
    return made;
  }

  return {
    index() {
      const paths = [...current().keys()].sort().map((path) => [path, { serverRelativeURL: urlOf(path) }]);
      return { contentType: 'application/json', body: JSON.stringify({ paths: Object.fromEntries(paths) }) };
    },
    document(path, hash) {
      const document = documentAt(path);
      if (!document) return { kind: 'missing' };
      if (hash !== undefined && hash !== document.hash) return { kind: 'moved', location: urlOf(path) };
      const answer = { contentType: 'application/json', body: document.body, etag: `"${document.hash}"` };
      return { kind: 'found', answer, immutable: hash !== undefined };
    },
  };

  function urlOf(path: string): string {
    return `/openapi/v3/${path}?hash=${documentAt(path)?.hash ?? ''}`;
  }
}

function makeDocument(types: readonly ResourceType[]): VersionDocument {
  const available = definitionsFor(types);
  const paths = pathsOf(types, available.nameOf);
  const { major, minor } = recordedVersion;
  const body = JSON.stringify({
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: `${major}.${minor}` },
    paths: withPointers(paths),
    components: { schemas: withPointers(schemaClosure(paths, available)) },
  });
  return { types, body, hash: createHash('sha512').update(body).digest('hex').toUpperCase() };
}

function sameItems<T>(left: readonly T[], right: readonly T[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}
