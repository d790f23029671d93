/**
 * One step of a path through an object, in the form that FieldsV1 uses as a key: `f:name` for a field, `k:{"name":"x"}` for a list
 * element by its keys, `v:"x"` for a member of a set, `i:0` for an index.
 */

import { isMap, type JsonMap } from '../json-tree.ts';

export function fieldElement(name: string): string {
  return `f:${name}`;
}

/** The keys must be sorted by name. */
export function keyElement(keys: readonly (readonly [string, unknown])[]): string {
  return `k:{${keys.map(([name, value]) => `${quote(name)}:${quote(value)}`).join(',')}}`;
}

export function valueElement(value: unknown): string {
  return `v:${quote(value)}`;
}

const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** JSON with the characters escaped that the API server escapes, since elements are compared as text. */
function quote(value: unknown): string {
  const text = JSON.stringify(value);
  return /[<>&\u2028\u2029]/.test(text) ? text.replace(/[<>&\u2028\u2029]/g, (char) => escapes[char] ?? char) : text;
}

export type Canonical =
  | { readonly kind: 'element'; readonly element: string }
  /** Of a kind that only newer servers know: left out. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'malformed' };

/** Reads an element that a client wrote. */
export function canonicalElement(text: string): Canonical {
  if (text.length < 2 || text[1] !== ':') return { kind: 'malformed' };
  if (text[0] === 'f') return { kind: 'element', element: text };
  if (text[0] === 'i')
    return /^i:[+-]?\d{1,15}$/.test(text) ? whole(`i:${Number(text.slice(2))}`) : { kind: 'malformed' };
  if (text[0] !== 'k' && text[0] !== 'v') return { kind: 'unknown' };
  const value = parse(text.slice(2));
  if (value === undefined) return { kind: 'malformed' };
  if (text[0] === 'v') return whole(valueElement(value));
  return isMap(value) ? whole(keyElement(sortedEntries(value))) : { kind: 'malformed' };
}

function whole(element: string): Canonical {
  return { kind: 'element', element };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sortedEntries(map: JsonMap): [string, unknown][] {
  return Object.entries(map).sort(([left], [right]) => (left < right ? -1 : 1));
}

const kindOrder = '.fkvi';

/** The order in which a server writes elements: fields by name, then list elements by their keys' values, then sets, then indexes. */
export function compareElements(left: string, right: string): number {
  if (left === right) return 0;
  const kinds = kindOrder.indexOf(left.charAt(0)) - kindOrder.indexOf(right.charAt(0));
  if (kinds !== 0) return kinds;
  if (left.charCodeAt(0) === fieldKind) return left < right ? -1 : left > right ? 1 : 0;
  return compareValues(parse(left.slice(2)), parse(right.slice(2)));
}

const fieldKind = 'f'.charCodeAt(0);

function compareValues(left: unknown, right: unknown): number {
  if (isMap(left) && isMap(right)) return compareKeys(Object.entries(left), Object.entries(right));
  const ranks = rank(left) - rank(right);
  if (ranks !== 0) return ranks;
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  const [one, other] = [String(left), String(right)];
  return one < other ? -1 : one > other ? 1 : 0;
}

function compareKeys(left: readonly [string, unknown][], right: readonly [string, unknown][]): number {
  for (const [index, [name, value]] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (name !== other[0]) return name < other[0] ? -1 : 1;
    const values = compareValues(value, other[1]);
    if (values !== 0) return values;
  }
  return left.length - right.length;
}

const typeOrder = ['number', 'string', 'boolean', 'object'];

function rank(value: unknown): number {
  return typeOrder.indexOf(typeof value);
}

/** As it stands in messages: `.name`, `[name="x"]`, `[="x"]`, `[0]`. */
export function printElement(element: string): string {
  const content = element.slice(2);
  switch (element.charAt(0)) {
    case 'k':
      return `[${Object.entries(parse(content) as JsonMap)
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(',')}]`;
    case 'v':
      return `[=${JSON.stringify(parse(content))}]`;
    case 'i':
      return `[${content}]`;
    default:
      return `.${content}`;
  }
}
