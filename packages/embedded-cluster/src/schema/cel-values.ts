import { parse } from '@marcbachmann/cel-js';
import { celValue, markConverted } from '../cel/values.ts';
import type { Schema } from '../kinds/schema.ts';
import { hasFormat } from './formats.ts';
import { getOwn, isJsonObject } from './json-values.ts';

/**
 * A custom resource as its rules see it: the schema decides what is an int, a double, a timestamp. Fields that no expression could
 * name are renamed as Kubernetes does: `my-field` is `my__dash__field`.
 */
export function celValueOf(value: unknown, schema: Schema | undefined): unknown {
  if (!schema || schema['x-kubernetes-int-or-string'] === true) return celValue(value);
  if (typeof value === 'string') return textValue(value, schema);
  if (typeof value === 'number') return schema.type === 'number' ? value : celValue(value);
  if (Array.isArray(value)) return markConverted(value.map((item) => celValueOf(item, schema.items)));
  return isJsonObject(value) ? objectValue(value, schema) : value;
}

function objectValue(object: Readonly<Record<string, unknown>>, schema: Schema): unknown {
  const map = new Map<string, unknown>();
  const additional = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  for (const key of Object.keys(object)) {
    const property = getOwn(schema.properties, key);
    if (property) map.set(escapedName(key), celValueOf(object[key], property));
    else map.set(key, celValueOf(object[key], additional));
  }
  return markConverted(map);
}

const durationOf = parse('duration(text)');

function textValue(text: string, schema: Schema): unknown {
  const { format } = schema;
  if (format === undefined || !hasFormat(text, format)) return text;
  switch (format) {
    case 'date-time':
      return new Date(text);
    case 'date':
      return new Date(`${text}T00:00:00Z`);
    case 'duration':
      return durationOf({ text });
    case 'byte':
      return new Uint8Array(Buffer.from(text, 'base64'));
    default:
      return text;
  }
}

const reserved: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

export function escapedName(name: string): string {
  if (reserved.has(name)) return `__${name}__`;
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}

/** Of the metadata, rules see the name alone. */
export function withVisibleMetadata(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { metadata } = object;
  if (!isJsonObject(metadata)) return object;
  const { name, generateName } = metadata;
  return {
    ...object,
    metadata: { ...(name === undefined ? {} : { name }), ...(generateName === undefined ? {} : { generateName }) },
  };
}
