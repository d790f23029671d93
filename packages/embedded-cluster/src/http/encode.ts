import type { ResourceType } from '../kinds/resource-type.ts';
import type { JsonObject, KubeObject } from '../objects.ts';
import { encodeProtobufList } from '../protobuf/lists.ts';
import { protobufMediaType } from '../protobuf/protobuf.ts';
import { apiVersionOf, convertAll, convertTo } from '../registry/convert.ts';
import type { ListResult } from '../registry/list.ts';
import { withDefaultsOfToday } from '../registry/read-defaults.ts';
import type { Stored } from '../store/store.ts';
import type { Representation } from './negotiate.ts';
import { Parts, type Reply } from './reply.ts';
import { listBytes, untyped } from './watch/list-bytes.ts';

/** Whether a table's rows carry their objects: `includeObject` of the query. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface EncodeOptions {
  readonly type: ResourceType;
  readonly representation: Representation;
  readonly include: IncludeObject;
  readonly nowMs: number;
}

/** A stored object whose own bytes are the answer. */
export function sendsBytes(options: EncodeOptions, stored: Stored): boolean {
  const { representation } = options;
  return representation.kind === 'object' && representation.format === 'json' && sendsAsKept(options, stored);
}

/** A stored object that is the answer, for those who want whole objects. */
export function sendsAsKept({ type }: EncodeOptions, { object }: Stored): boolean {
  return object.apiVersion === apiVersionOf(type) && withDefaultsOfToday(type, object) === object;
}

export async function encodeStored(options: EncodeOptions, stored: Stored): Promise<unknown> {
  if (sendsBytes(options, stored)) return stored.bytes();
  return encodeObject(options, await convertTo(options.type, stored.object, apiVersionOf(options.type)));
}

/** One object, in the version of the type already. */
export function encodeObject(options: EncodeOptions, object: KubeObject): unknown {
  switch (options.representation.kind) {
    case 'object':
      return object;
    case 'metadata':
      return partialMetadata(object, options.representation.version);
    case 'table':
      return table(options, options.representation.version, [object], {
        resourceVersion: object.metadata.resourceVersion ?? '',
      });
  }
}

export async function encodeList(options: EncodeOptions, list: ListResult): Promise<Reply> {
  const { type, representation } = options;
  const metadata = {
    ...(list.continueToken === '' ? {} : { continue: list.continueToken }),
    ...(list.remaining === undefined ? {} : { remainingItemCount: list.remaining }),
    resourceVersion: String(list.revision),
  };
  if (list.items.every((stored) => sendsBytes(options, stored)) && representation.kind === 'object') {
    return { code: 200, body: listBytes(type, metadata, list.items), contentType: 'application/json' };
  }
  const objects = await convertAll(
    type,
    list.items.map((stored) => stored.object),
    apiVersionOf(type),
  );
  if (representation.kind === 'table')
    return { code: 200, body: table(options, representation.version, objects, metadata) };
  const shown = shownIn(type, representation);
  if (representation.format === 'protobuf') {
    const parts = await encodeProtobufList({ ...shown, metadata }, objects);
    return { code: 200, body: new Parts(parts), contentType: protobufMediaType };
  }
  const { apiVersion, listKind: kind } = shown;
  if (representation.kind === 'metadata') {
    const items = objects.map((object) => partialMetadata(object, representation.version));
    return { code: 200, body: { kind, apiVersion, metadata, items } };
  }
  return { code: 200, body: { kind, apiVersion, metadata, items: type.custom ? objects : objects.map(untyped) } };
}

/** What the items of a list are, and what the list is. */
function shownIn(type: ResourceType, representation: Exclude<Representation, { kind: 'table' }>) {
  if (representation.kind === 'object')
    return { apiVersion: apiVersionOf(type), kind: type.kind, listKind: type.listKind };
  const kind = 'PartialObjectMetadata';
  return { apiVersion: `meta.k8s.io/${representation.version}`, kind, listKind: `${kind}List` };
}

export function partialMetadata(object: KubeObject, version: string): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata };
}

export function table(
  options: EncodeOptions,
  version: string,
  objects: readonly KubeObject[],
  metadata: JsonObject,
  withColumns = true,
): JsonObject {
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${version}`,
    metadata,
    columnDefinitions: withColumns ? options.type.columns.definitions : null,
    rows: objects.map((object) => row(options, version, object)),
  };
}

function row(options: EncodeOptions, version: string, object: KubeObject): JsonObject {
  const cells = options.type.columns.cells(object, options.nowMs);
  if (options.include === 'None') return { cells, object: null };
  return { cells, object: options.include === 'Object' ? object : partialMetadata(object, version) };
}
