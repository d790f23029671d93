import { badRequest } from '../errors.ts';
import type { ResourceType } from '../kinds/resource-type.ts';
import { type JsonObject, type KubeObject, splitApiVersion } from '../objects.ts';
import { decodeProblem } from '../schema/decode.ts';
import { type DuplicateKeys, duplicateKeys, strictProblem } from '../schema/duplicate-keys.ts';
import { isJsonObject } from '../schema/json-values.ts';
import { settleNulls } from '../schema/nulls.ts';
import { prune, pruneInOrder, unknownFieldTexts } from '../schema/prune.ts';
import { apiVersionOf } from './convert.ts';
import type { WriteContext } from './write-context.ts';

/** What a client sent, as an object of the kind that it was sent to. */
export function asObject(type: ResourceType, value: unknown): KubeObject {
  if (value === null) return asObject(type, {});
  if (!isJsonObject(value)) throw badRequest(`the body of the request must be a ${type.kind} object`);
  const apiVersion = apiVersionOf(type);
  const sent = { apiVersion: value['apiVersion'] || apiVersion, kind: value['kind'] || type.kind };
  if (sent.kind !== type.kind || sent.apiVersion !== apiVersion) {
    throw badRequest(
      `${String(sent.kind)} in version "${versionIn(String(sent.apiVersion))}" cannot be handled as a ${type.kind}: the kind here is ${type.kind} in version "${apiVersion}"`,
    );
  }
  const metadata = value['metadata'] ?? {};
  if (!isJsonObject(metadata)) throw wrongType(type, 'metadata must be an object');
  // What it is comes first, whatever the client's order was: lists cut it off from the bytes of their items.
  const { apiVersion: _, kind: __, ...rest } = value;
  return { apiVersion, kind: type.kind, ...rest, metadata: metadata as unknown as KubeObject['metadata'] };
}

function versionIn(apiVersion: string): string {
  return splitApiVersion(apiVersion).version;
}

function wrongType(type: ResourceType, why: string): Error {
  return badRequest(`${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: ${why}`);
}

/**
 * Drops what the kind does not have and refuses what has the wrong type. `text` is the body as it was sent: what was said
 * twice is only to be seen there.
 */
export function checkFields(type: ResourceType, object: KubeObject, context: WriteContext, text?: string): void {
  if (type.schema === undefined) return;
  if (!type.custom) {
    const problem = decodeProblem(object, type.schema, type.kind, apiVersionOf(type));
    if (problem !== undefined) throw badRequest(problem);
    settleNulls(object, type.schema);
  } else {
    checkMetadataTypes(type, object);
  }
  const unknown = (type.custom ? prune : pruneInOrder)(object as JsonObject, type.schema);
  if (context.fieldValidation === 'Ignore') return;
  const unknownFields = unknownFieldTexts(unknown);
  const duplicates = text === undefined ? nothingTwice : duplicateKeys(text);
  if (context.fieldValidation === 'Warn') {
    context.warnings.push(...unknownFields, ...duplicates.texts);
    return;
  }
  const problem = strictProblem(duplicates, unknownFields);
  if (problem !== '') throw wrongType(type, `strict decoding error: ${problem}`);
}

const nothingTwice: DuplicateKeys = { format: 'json', texts: [] };

/** Everything relies on metadata being what it should be, whatever a custom kind's schema says of the rest. */
function checkMetadataTypes(type: ResourceType, object: KubeObject): void {
  const metadata = object.metadata as unknown as JsonObject;
  for (const field of ['name', 'namespace', 'generateName', 'uid', 'resourceVersion'] as const) {
    const value = metadata[field];
    if (value !== undefined && value !== null && typeof value !== 'string')
      throw wrongType(type, `metadata.${field} must be a string`);
  }
  for (const field of ['labels', 'annotations'] as const) {
    const value = metadata[field];
    if (value === undefined || value === null) continue;
    const sound = isJsonObject(value) && Object.values(value).every((item) => typeof item === 'string');
    if (!sound) throw wrongType(type, `metadata.${field} must be a map of strings`);
  }
  for (const field of ['finalizers', 'ownerReferences', 'managedFields'] as const) {
    const value = metadata[field];
    if (value === undefined || value === null) continue;
    if (!Array.isArray(value) || value.includes(null)) throw wrongType(type, `metadata.${field} must be a list`);
  }
}
