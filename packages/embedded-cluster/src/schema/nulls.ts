import type { Schema } from '../kinds/schema.ts';
import { getOwn, isJsonObject } from './json-values.ts';

/**
 * What a typed decoder makes of nulls, in place: a field that is null is not there, and an item or a map's value that is null
 * is the empty value of its type. Everything after this can rely on the types of the schema.
 */
export function settleNulls(value: unknown, schema: Schema): void {
  if (Array.isArray(value)) settleItems(value, schema.items);
  else if (isJsonObject(value)) settleFields(value, schema);
}

function settleItems(list: unknown[], items: Schema | undefined): void {
  if (items === undefined) return;
  for (const [index, item] of list.entries()) {
    if (item === null) list[index] = emptyValue(items);
    else settleNulls(item, items);
  }
}

function settleFields(object: Record<string, unknown>, schema: Schema): void {
  const values = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  for (const key of Object.keys(object)) {
    const property = getOwn(schema.properties, key);
    const field = property ?? values;
    if (field === undefined) continue;
    if (object[key] !== null) settleNulls(object[key], field);
    else if (property === undefined) setOwn(object, key, emptyValue(field));
    else delete object[key];
  }
}

/** Assigning to a key that a person chose must not set something else. */
function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

function emptyValue(schema: Schema): unknown {
  switch (schema.type) {
    case 'string':
      return '';
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return null;
  }
}
