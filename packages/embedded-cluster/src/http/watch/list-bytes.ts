import type { ResourceType } from '../../kinds/resource-type.ts';
import type { JsonObject, KubeObject } from '../../objects.ts';
import { apiVersionOf } from '../../registry/convert.ts';
import type { Stored } from '../../store/store.ts';
import { Parts } from '../reply.ts';

const end = Buffer.from(']}\n');

/** A list out of the bytes of what is kept. */
export function listBytes(type: ResourceType, metadata: JsonObject, items: readonly Stored[]): Parts {
  const head = JSON.stringify({ kind: type.listKind, apiVersion: apiVersionOf(type), metadata });
  const bodyOf = type.custom ? wholeBody : untypedBody(type);
  const parts: Buffer[] = [Buffer.from(`${head.slice(0, -1)},"items":[`)];
  for (const [index, stored] of items.entries()) parts.push(index > 0 ? nextItem : firstItem, bodyOf(stored));
  parts.push(end);
  return new Parts(parts);
}

const firstItem = Buffer.from('{');
const nextItem = Buffer.from(',{');

/** Everything after the first brace. */
function wholeBody(stored: Stored): Buffer {
  return stored.bytes().subarray(1);
}

/** The list says what its items are; those of built-in kinds do not say it again. Nearly all begin with it. */
function untypedBody(type: ResourceType): (stored: Stored) => Buffer {
  const apiVersion = `"apiVersion":${JSON.stringify(apiVersionOf(type))},`;
  const kind = `"kind":${JSON.stringify(type.kind)},`;
  const beginnings = [`{${apiVersion}${kind}`, `{${kind}${apiVersion}`].map((text) => Buffer.from(text));
  return (stored) => {
    const bytes = stored.bytes();
    const known = beginnings.find((beginning) => bytes.subarray(0, beginning.length).equals(beginning));
    return known ? bytes.subarray(known.length) : Buffer.from(JSON.stringify(untyped(stored.object)).slice(1));
  };
}

export function untyped({ apiVersion: _, kind: __, ...object }: KubeObject): JsonObject {
  return object;
}
