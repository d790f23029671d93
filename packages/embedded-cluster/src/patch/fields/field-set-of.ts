/** The fields that an object sets. */

import type { Schema } from '../../kinds/schema.ts';
import { isMap, type JsonMap } from '../json-tree.ts';
import { fieldSchema } from '../strategic/strategic-schema.ts';
import { type FieldSet, type FieldTree, leaf, self, sorted } from './field-set.ts';
import { type AssociativeList, elementOf, isNamedField, rootSchema, typeOf } from './field-types.ts';
import { fieldElement } from './path-element.ts';

type Draft = Record<string, FieldTree>;

export function fieldSetOf(object: JsonMap, schema: Schema | undefined): FieldSet {
  return childrenOfMap(object, rootSchema(schema));
}

/** What lies below the value. A leaf has nothing below: it is a member of its parent's set instead. */
interface Below {
  readonly member: boolean;
  readonly children: FieldSet;
}

function below(value: unknown, schema: Schema | undefined): Below {
  const type = typeOf(schema, value);
  if (type.kind === 'map') {
    return { member: false, children: isMap(value) ? childrenOfMap(value, type.schema) : undefined };
  }
  if (type.kind === 'list') {
    return { member: false, children: Array.isArray(value) ? childrenOfList(value, type.list) : undefined };
  }
  return { member: true, children: undefined };
}

function childrenOfMap(map: JsonMap, schema: Schema | undefined): FieldSet {
  const children: Draft = {};
  for (const key of Object.keys(map)) {
    const value = map[key];
    const { member, children: grandchildren } = below(value, fieldSchema(schema, key));
    const isEmptyMap = isMap(value) && Object.keys(value).length === 0;
    insert(children, fieldElement(key), {
      member: member || value === null || isEmptyMap || !isNamedField(schema, key),
      children: grandchildren,
    });
  }
  return finished(children);
}

/** Items are members themselves. Of items that share a key, nothing below is known. */
function childrenOfList(items: readonly unknown[], list: AssociativeList): FieldSet {
  const children: Draft = {};
  for (const item of items) {
    const element = elementOf(list, item);
    if (!element.ok) continue;
    const seen = Object.hasOwn(children, element.element);
    insert(children, element.element, { member: true, children: seen ? undefined : below(item, list.item).children });
  }
  return finished(children);
}

function insert(into: Draft, element: string, { member, children }: Below): void {
  if (children !== undefined) into[element] = member ? Object.assign({ [self]: leaf }, children) : children;
  else if (member) into[element] = leaf;
}

function finished(children: Draft): FieldSet {
  return Object.keys(children).length === 0 ? undefined : sorted(children);
}

/** The set, and each field that the schema names on the way to a member: what must go when nothing of it is left. */
export function withNamedParents(set: FieldSet, schema: Schema | undefined): FieldSet {
  return set === undefined ? undefined : ensureNamed(set, rootSchema(schema));
}

function ensureNamed(set: FieldTree, schema: Schema | undefined): FieldTree {
  const result: Draft = {};
  for (const element of Object.keys(set)) {
    const child = set[element] as FieldTree;
    const name = element.startsWith('f:') ? element.slice(2) : undefined;
    const type = typeOf(schema, name === undefined ? [] : {});
    const rest = ensureNamed(child, childSchema(type, name));
    const named = name !== undefined && type.kind === 'map' && isNamedField(type.schema, name);
    result[element] = named && Object.keys(rest).length > 0 ? Object.assign({ [self]: leaf }, rest) : rest;
  }
  return result;
}

function childSchema(type: ReturnType<typeof typeOf>, name: string | undefined): Schema | undefined {
  if (type.kind === 'map' && name !== undefined) return fieldSchema(type.schema, name);
  return type.kind === 'list' ? type.list.item : undefined;
}
