/** How the API server prints values inside of messages. */

import { isMap } from './json-tree.ts';

/** Plain: `map[a:1 b:[x y]]`. */
export function printValue(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(printValue).join(' ')}]`;
  if (!isMap(value)) return String(value);
  const fields = Object.keys(value).sort();
  return `map[${fields.map((key) => `${key}:${printValue(value[key])}`).join(' ')}]`;
}

/** The name of the type that a JSON value is decoded into. */
export function typeName(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isMap(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return value === null || value === undefined ? '%!s(<nil>)' : (goScalarNames[typeof value] ?? typeof value);
}

const goScalarNames: Readonly<Record<string, string>> = { string: 'string', boolean: 'bool' };

/** The name of a JSON value's kind in decoding errors. */
export function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (value === null) return 'null';
  return goJsonNames[typeof value] ?? 'object';
}

const goJsonNames: Readonly<Record<string, string>> = { string: 'string', boolean: 'bool', number: 'number' };
