/** How a schema divides an object into fields that have owners. */

import type { Schema } from '../../kinds/schema.ts';
import { isMap, type JsonMap } from '../json-tree.ts';
import { fieldSchema, unwrap } from '../strategic/strategic-schema.ts';
import { keyElement, valueElement } from './path-element.ts';

/** Atomic values belong to one manager as a whole. */
export type ValueType =
  | { readonly kind: 'scalar' }
  | { readonly kind: 'atomic' }
  | { readonly kind: 'map'; readonly schema: Schema | undefined }
  | { readonly kind: 'list'; readonly schema: Schema; readonly list: AssociativeList };

export interface AssociativeList {
  /** No keys: a set of scalars. */
  readonly keys: readonly string[];
  readonly item: Schema | undefined;
}

const scalar: ValueType = { kind: 'scalar' };
const atomic: ValueType = { kind: 'atomic' };
const untypedMap: ValueType = { kind: 'map', schema: undefined };

const typesOf = new WeakMap<Schema, ValueType>();

/** Without a schema, maps are divided and lists are not. A value that is not what its schema says is atomic. */
export function typeOf(schema: Schema | undefined, value: unknown): ValueType {
  const declared = schema === undefined ? undefined : declaredType(schema);
  if (declared === undefined) return isMap(value) ? untypedMap : Array.isArray(value) ? atomic : scalar;
  if (declared.kind === 'map' && !isMap(value) && value !== null) return atomic;
  if (declared.kind === 'list' && !Array.isArray(value) && value !== null) return atomic;
  return declared;
}

/** Undefined: the schema leaves it open. */
function declaredType(schema: Schema): ValueType | undefined {
  const known = typesOf.get(schema);
  if (known !== undefined) return known;
  const declared = declare(schema, unwrap(schema) ?? schema);
  if (declared !== undefined) typesOf.set(schema, declared);
  return declared;
}

function declare(outer: Schema, schema: Schema): ValueType | undefined {
  const mapType = outer['x-kubernetes-map-type'] ?? schema['x-kubernetes-map-type'];
  if (schema['x-kubernetes-int-or-string'] === true) return scalar;
  if (schema.type === 'object' || schema.properties !== undefined || schema.additionalProperties !== undefined) {
    return mapType === 'atomic' ? atomic : { kind: 'map', schema };
  }
  if (schema.type === 'array' || schema.items !== undefined) {
    const list = associative(outer, schema);
    return list === undefined ? atomic : { kind: 'list', schema, list };
  }
  return schema.type === undefined ? undefined : scalar;
}

/** Lists without a list type have one by their patch strategy. */
function associative(outer: Schema, schema: Schema): AssociativeList | undefined {
  const listType = outer['x-kubernetes-list-type'] ?? schema['x-kubernetes-list-type'];
  const listKeys = outer['x-kubernetes-list-map-keys'] ?? schema['x-kubernetes-list-map-keys'] ?? [];
  if (listType === 'map') return { keys: [...listKeys].sort(), item: schema.items };
  if (listType === 'set') return { keys: [], item: schema.items };
  if (listType === 'atomic') return undefined;
  const strategy = outer['x-kubernetes-patch-strategy'] ?? schema['x-kubernetes-patch-strategy'] ?? '';
  if (!strategy.split(',').includes('merge')) return undefined;
  const mergeKey = outer['x-kubernetes-patch-merge-key'] ?? schema['x-kubernetes-patch-merge-key'];
  return { keys: mergeKey === undefined ? [] : [mergeKey], item: schema.items };
}

/** Whether the schema names the field itself, in contrast to the keys of a free-form map. */
export function isNamedField(schema: Schema | undefined, key: string): boolean {
  return schema?.properties !== undefined && Object.hasOwn(schema.properties, key);
}

/** Whether the schema has a place for a field that it does not name. */
export function takesOtherFields(schema: Schema): boolean {
  const rest = schema.additionalProperties;
  if (rest !== undefined && rest !== false) return true;
  return schema['x-kubernetes-preserve-unknown-fields'] === true || schema.properties === undefined;
}

export type ListElement =
  | { readonly ok: true; readonly element: string }
  | { readonly ok: false; readonly problem: string };

/** The path element of a list's item. Keys that are not there have their default, or are left out. */
export function elementOf(list: AssociativeList, item: unknown): ListElement {
  return list.keys.length > 0 ? keyedElement(list, item) : setElement(item);
}

function keyedElement(list: AssociativeList, item: unknown): ListElement {
  if (item === null) return unusable('associative list with keys may not have a null element');
  if (!isMap(item)) return unusable('associative list with keys may not have non-map elements');
  const keys: [string, unknown][] = [];
  for (const key of list.keys) {
    const value = Object.hasOwn(item, key) ? item[key] : fieldSchema(list.item, key)?.default;
    if (value !== undefined) keys.push([key, value]);
  }
  if (keys.length === 0) return unusable(omitsKeys(list.keys));
  return { ok: true, element: keyElement(keys) };
}

function omitsKeys(keys: readonly string[]): string {
  const names = keys.map((key) => JSON.stringify(key)).join(' ');
  return `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`;
}

function setElement(item: unknown): ListElement {
  if (isMap(item)) return unusable("associative list without keys has an element that's a map type");
  if (Array.isArray(item)) return unusable('not supported: associative list with lists as elements');
  if (item === null) return unusable("associative list without keys has an element that's an explicit null");
  return { ok: true, element: valueElement(item) };
}

function unusable(problem: string): ListElement {
  return { ok: false, problem };
}

/** The items of a list by their path elements; undefined: an item has none, so that the list cannot be divided. */
export function indexItems(list: AssociativeList, items: readonly unknown[]): Map<string, unknown[]> | undefined {
  const index = new Map<string, unknown[]>();
  for (const item of items) {
    const element = elementOf(list, item);
    if (!element.ok) return undefined;
    const same = index.get(element.element);
    if (same === undefined) index.set(element.element, [item]);
    else same.push(item);
  }
  return index;
}

const objectMeta: Schema = {
  type: 'object',
  properties: {
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    annotations: { type: 'object', additionalProperties: { type: 'string' } },
    finalizers: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    ownerReferences: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      items: { type: 'object', 'x-kubernetes-map-type': 'atomic' },
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
};

const rootSchemas = new WeakMap<Schema, Schema>();
const untypedRoot: Schema = {
  type: 'object',
  properties: { metadata: objectMeta },
  'x-kubernetes-preserve-unknown-fields': true,
};

/** Every object has the same metadata, also where its schema, as CRDs write them, says nothing about it. */
export function rootSchema(schema: Schema | undefined): Schema {
  if (schema === undefined) return untypedRoot;
  const declared = unwrap(schema) ?? schema;
  if (unwrap(declared.properties?.['metadata'])?.properties !== undefined) return declared;
  const known = rootSchemas.get(schema);
  if (known !== undefined) return known;
  const completed = { ...declared, properties: { ...typeMeta, ...declared.properties, metadata: objectMeta } };
  rootSchemas.set(schema, completed);
  return completed;
}

const typeMeta: Readonly<Record<string, Schema>> = { apiVersion: { type: 'string' }, kind: { type: 'string' } };

export function withoutManagedFields(object: JsonMap): JsonMap {
  const metadata = object['metadata'];
  if (!isMap(metadata) || !Object.hasOwn(metadata, 'managedFields')) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}
