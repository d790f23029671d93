import type { Schema } from '../kinds/schema.ts';
import type { JsonMap } from './json-tree.ts';

/** No kind nests plain structures half as deep. */
const maxLevels = 20;

/**
 * A built-in kind's object with nothing in it: structures that are always there, and required lists. The creator of an
 * object does not own these by themselves, only what it puts into them.
 */
export function emptyObject(schema: Schema | undefined): JsonMap {
  if (schema === undefined) return {};
  const empty = emptyObjects.get(schema) ?? emptyOf(schema, maxLevels);
  emptyObjects.set(schema, empty);
  return empty;
}

/** By their schemas, which never change; nor does what was made from them. */
const emptyObjects = new WeakMap<Schema, JsonMap>();

function emptyOf(schema: Schema | undefined, levels: number): JsonMap {
  const empty: JsonMap = {};
  if (levels === 0) return empty;
  for (const [name, property] of Object.entries(schema?.properties ?? {})) {
    if (isEmptyStructure(property.default)) empty[name] = emptyOf(property, levels - 1);
    else if (property.type === 'array' && schema?.required?.includes(name)) empty[name] = [];
  }
  return empty;
}

function isEmptyStructure(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}
