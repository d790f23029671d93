import type { Schema } from '../kinds/schema.ts';
import { clone, type JsonObject } from '../objects.ts';
import { getOwn, isJsonObject, setOwn } from './json-values.ts';

/**
 * Fills in, in place, the defaults of the schema. A null where null is not allowed counts as not there: it goes, or becomes the
 * default. Defaults inside a default are filled in, too.
 */
export function applySchemaDefaults(draft: unknown, schema: Schema | undefined): void {
  dropNulls(draft, schema);
  fill(draft, schema);
}

/** Whether there is anything to fill in. */
export function hasDefaults(schema: Schema | undefined): boolean {
  if (!schema) return false;
  const { additionalProperties: additional, items, properties = {} } = schema;
  return (
    schema.default !== undefined ||
    hasDefaults(items) ||
    (typeof additional === 'object' && hasDefaults(additional)) ||
    Object.values(properties).some(hasDefaults)
  );
}

function dropNulls(value: unknown, schema: Schema | undefined): void {
  if (Array.isArray(value)) {
    for (const item of value) dropNulls(item, schema?.items);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const key of Object.keys(value)) {
    const field = schemaOf(schema, key);
    if (value[key] === null && field && field.nullable !== true && field.default === undefined) delete value[key];
    else dropNulls(value[key], field);
  }
}

function fill(value: unknown, schema: Schema | undefined): void {
  if (!schema) return;
  if (Array.isArray(value)) fillList(value, schema.items);
  else if (isJsonObject(value)) fillObject(value, schema);
}

function fillObject(object: JsonObject, schema: Schema): void {
  for (const [key, field] of Object.entries(schema.properties ?? {})) {
    if (field.default === undefined || field.default === null) continue;
    const missing = !Object.hasOwn(object, key) || (object[key] === null && field.nullable !== true);
    if (missing) setOwn(object, key, clone(field.default));
  }
  for (const key of Object.keys(object)) {
    const field = schemaOf(schema, key);
    if (object[key] === null && field?.default !== undefined && field.nullable !== true) {
      setOwn(object, key, clone(field.default));
    }
    fill(object[key], field);
  }
}

function fillList(list: unknown[], items: Schema | undefined): void {
  for (const [index, item] of list.entries()) {
    if (item === null && items && items.nullable !== true && items.default !== undefined) {
      list[index] = clone(items.default);
    }
    fill(list[index], items);
  }
}

function schemaOf(schema: Schema | undefined, key: string): Schema | undefined {
  const property = getOwn(schema?.properties, key);
  if (property) return property;
  const additional = schema?.additionalProperties;
  return typeof additional === 'object' ? additional : undefined;
}
