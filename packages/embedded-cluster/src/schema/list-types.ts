import type { FieldError } from '@holdfast/base/field-errors';
import type { Schema } from '../kinds/schema.ts';
import { mapKey } from './correlate.ts';
import { canonical, getOwn, isJsonObject } from './json-values.ts';

/** Sets hold each item once, and lists with keys each key once. */
export function listTypeErrors(value: unknown, schema: Schema | undefined, path = ''): FieldError[] {
  if (!schema) return [];
  if (Array.isArray(value)) {
    const { items } = schema;
    const inside = value.flatMap((item, index) => listTypeErrors(item, items, `${path}[${index}]`));
    return [...ownErrors(value, schema, path), ...inside];
  }
  if (!isJsonObject(value)) return [];
  return Object.keys(value).flatMap((key) => {
    const property = getOwn(schema.properties, key);
    if (property) return listTypeErrors(value[key], property, path === '' ? key : `${path}.${key}`);
    const additional = schema.additionalProperties;
    return typeof additional === 'object' ? listTypeErrors(value[key], additional, `${path}[${key}]`) : [];
  });
}

function ownErrors(list: readonly unknown[], schema: Schema, path: string): FieldError[] {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return duplicates(list, path);
    case 'map': {
      const stranger = list.findIndex((item) => item !== null && !isJsonObject(item));
      if (stranger < 0)
        return duplicates(
          list.map((item) => keysOf(item, schema)),
          path,
        );
      const detail = 'must be an object for an array of list-type map';
      return [{ type: 'FieldValueInvalid', field: `${path}[${stranger}]`, value: list[stranger], detail }];
    }
    default:
      return [];
  }
}

function keysOf(item: unknown, schema: Schema): Record<string, unknown> {
  return isJsonObject(item) ? mapKey(item, schema['x-kubernetes-list-map-keys'] ?? []) : {};
}

/** Said once for each value, at its second place. */
function duplicates(list: readonly unknown[], path: string): FieldError[] {
  const seen = new Map<string, number>();
  return list.flatMap((item, index) => {
    const text = canonical(item);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    return times === 2
      ? [{ type: 'FieldValueDuplicate' as const, field: `${path}[${index}]`, value: item, detail: '' }]
      : [];
  });
}
