import type { Schema } from '../kinds/schema.ts';
import { getOwn, isJsonObject } from './json-values.ts';

/**
 * Built-in kinds are read into types, and JSON of another type cannot be read at all. The real server says where its decoder
 * stopped; this says the first such place in the same form, with the kind where that names a Go type.
 */
export function decodeProblem(value: unknown, schema: Schema, kind: string, apiVersion: string): string | undefined {
  const problem = find(value, schema, '');
  if (!problem) return undefined;
  const prefix = `${kind} in version "${apiVersion.slice(apiVersion.indexOf('/') + 1)}" cannot be handled as a ${kind}: `;
  if ('unreadable' in problem) return prefix + problem.unreadable;
  const place = problem.path === '' ? 'Go value' : `Go struct field ${kind}.${problem.path}`;
  const what = `json: cannot unmarshal ${problem.actual} into ${place} of type ${problem.expected}`;
  return prefix + what;
}

type Problem =
  | { readonly path: string; readonly actual: string; readonly expected: string }
  /** Of the right type, but not in the form that this type has as text. */
  | { readonly unreadable: string };

function find(value: unknown, schema: Schema, path: string): Problem | undefined {
  if (value === null || value === undefined) return undefined;
  const wrong = mismatch(value, schema, path);
  if (wrong) return wrong;
  if (typeof value === 'string') return unreadableText(value, schema.format);
  if (Array.isArray(value)) return findInList(value, schema, path);
  return isJsonObject(value) ? findInObject(value, schema, path) : undefined;
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;
const timeLayout = '2006-01-02T15:04:05Z07:00';
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function unreadableText(text: string, format: string | undefined): Problem | undefined {
  if (format === 'byte') {
    const bare = text.replaceAll(/[\r\n]/g, '');
    if (base64.test(bare) && bare.length % 4 === 0) return undefined;
    const at = bare.search(/[^A-Za-z0-9+/]/);
    return { unreadable: `illegal base64 data at input byte ${at < 0 ? bare.length - (bare.length % 4) : at}` };
  }
  if (format !== 'date-time' || time.test(text)) return undefined;
  const quoted = JSON.stringify(text);
  return { unreadable: `parsing time ${quoted} as "${timeLayout}": cannot parse ${quoted} as "2006"` };
}

/** Go's decoder names no places in lists. */
function findInList(list: readonly unknown[], schema: Schema, path: string): Problem | undefined {
  if (!schema.items) return undefined;
  for (const item of list) {
    const problem = find(item, schema.items, path);
    if (problem) return problem;
  }
  return undefined;
}

function findInObject(object: Readonly<Record<string, unknown>>, schema: Schema, path: string): Problem | undefined {
  for (const key of Object.keys(object)) {
    const property = getOwn(schema.properties, key);
    const additional = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
    const field = property ?? additional;
    // The keys of maps are no places either.
    const at = property ? (path === '' ? key : `${path}.${key}`) : path;
    const problem = field && find(object[key], field, at);
    if (problem) return problem;
  }
  return undefined;
}

function mismatch(value: unknown, schema: Schema, path: string): Problem | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) {
    const fits = typeof value === 'string' || Number.isInteger(value);
    return fits ? undefined : { path, actual: jsonType(value), expected: 'intstr.IntOrString' };
  }
  const options = schema.oneOf ?? schema.anyOf;
  if (options && options.length > 0) {
    const fits = options.some((option) => fitsType(value, option));
    return fits ? undefined : { path, actual: jsonType(value), expected: goType(options[0] ?? {}) };
  }
  return fitsType(value, schema) ? undefined : { path, actual: jsonType(value), expected: goType(schema) };
}

const maxInt32 = 2_147_483_647;

function fitsType(value: unknown, schema: Schema): boolean {
  switch (schema.type) {
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'number':
      return typeof value === 'number';
    case 'integer':
      if (!Number.isInteger(value)) return false;
      return schema.format !== 'int32' || Math.abs(value as number) <= maxInt32 + 1;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    default:
      return true;
  }
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'number':
      return Number.isInteger(value) ? 'number' : `number ${value}`;
    default:
      return typeof value;
  }
}

function goType(schema: Schema, levels = 3): string {
  switch (schema.type) {
    case 'boolean':
      return 'bool';
    case 'integer':
      return schema.format ?? 'int64';
    case 'number':
      return 'float64';
    case 'array':
      return `[]${levels === 0 ? 'interface {}' : goType(schema.items ?? {}, levels - 1)}`;
    case 'object': {
      const { additionalProperties } = schema;
      if (typeof additionalProperties !== 'object') return schema.properties ? 'struct' : 'map[string]interface {}';
      return `map[string]${levels === 0 ? 'interface {}' : goType(additionalProperties, levels - 1)}`;
    }
    default:
      return schema.type ?? 'interface {}';
  }
}
