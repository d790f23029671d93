import { type FieldError, forbidden, invalid, notSupported, required } from '@holdfast/base/field-errors';
import type { Schema } from '../../kinds/schema.ts';
import { getOwn } from '../../schema/json-values.ts';
import { addAll } from '../../schema/result.ts';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

interface Place {
  readonly field: string;
  readonly root: boolean;
  /** Why no default may stand here. */
  readonly noDefaults?: string;
}

/** The keywords that CRDs may use, and how. */
export function keywordErrors(schema: Schema, field: string): FieldError[] {
  return errorsAt(schema, { field, root: true });
}

function errorsAt(schema: Schema, place: Place): FieldError[] {
  return [...ownErrors(schema, place), ...listErrors(schema, place.field), ...insideErrors(schema, place)];
}

function insideErrors(schema: Schema, place: Place): FieldError[] {
  const { field } = place;
  const inherited = place.noDefaults === undefined ? {} : { noDefaults: place.noDefaults };
  const inside: [Schema, Place][] = [];
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const meta = place.root && ['metadata', 'kind', 'apiVersion'].includes(name);
    const reason = meta ? { noDefaults: `in top-level ${name}` } : inherited;
    inside.push([property, { field: `${field}.properties[${name}]`, root: false, ...reason }]);
  }
  if (typeof schema.additionalProperties === 'object') {
    inside.push([schema.additionalProperties, { field: `${field}.additionalProperties`, root: false, ...inherited }]);
  }
  if (schema.items) inside.push([schema.items, { field: `${field}.items`, root: false, ...inherited }]);
  if (schema.not) inside.push([schema.not, { field: `${field}.not`, root: false, ...inherited }]);
  for (const key of ['allOf', 'oneOf', 'anyOf'] as const) {
    for (const [index, part] of (schema[key] ?? []).entries()) {
      inside.push([part, { field: `${field}.${key}[${index}]`, root: false, ...inherited }]);
    }
  }
  return inside.flatMap(([part, at]) => errorsAt(part, at));
}

const unsupported = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];

function ownErrors(schema: Schema, { field, noDefaults }: Place): FieldError[] {
  const errors: FieldError[] = [];
  const { type = '' } = schema;
  if (type === 'null') {
    errors.push(forbidden(`${field}.type`, 'type cannot be set to null, use nullable as an alternative'));
  } else if (type !== '' && !types.includes(type)) errors.push(notSupported(`${field}.type`, type, types));
  if (schema.default !== undefined && noDefaults !== undefined) {
    errors.push(forbidden(`${field}.default`, `must not be set ${noDefaults}`));
  }
  for (const key of unsupported) {
    const value = getOwn(schema as Readonly<Record<string, unknown>>, key);
    if (value !== undefined) errors.push(forbidden(`${field}.${key}`, `${key} is not supported`));
  }
  if (schema.uniqueItems === true) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbidden(`${field}.uniqueItems`, detail));
  }
  const { additionalProperties } = schema;
  const named = Object.keys(schema.properties ?? {}).length > 0;
  if (named && additionalProperties !== undefined && additionalProperties !== true) {
    const detail = 'additionalProperties and properties are mutual exclusive';
    errors.push(forbidden(`${field}.additionalProperties`, detail));
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(invalid(`${field}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  }
  return errors;
}

function listErrors(schema: Schema, field: string): FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  const mapType = schema['x-kubernetes-map-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const errors: FieldError[] = [];
  if (mapType !== undefined) {
    addAll(errors, wrongParent(schema, field, 'object', 'x-kubernetes-map-type'));
    if (!['atomic', 'granular'].includes(mapType)) {
      errors.push(notSupported(`${field}.x-kubernetes-map-type`, mapType, ['atomic', 'granular']));
    }
  }
  if (listType !== undefined) {
    addAll(errors, wrongParent(schema, field, 'array', 'x-kubernetes-list-type'));
    if (!['atomic', 'set', 'map'].includes(listType)) {
      errors.push(notSupported(`${field}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']));
    }
  }
  if (keys.length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const at = `${field}.x-kubernetes-list-type`;
    errors.push(listType === undefined ? required(at, detail) : invalid(at, listType, detail));
  }
  if (listType === 'set') addAll(errors, setErrors(schema, field));
  if (listType === 'map') addAll(errors, mapErrors(schema, keys, field));
  return errors;
}

function wrongParent(schema: Schema, field: string, type: string, key: string): FieldError[] {
  if (schema.type === type) return [];
  const detail = `must be ${type} if ${key} is specified`;
  return [schema.type ? invalid(`${field}.type`, schema.type, detail) : required(`${field}.type`, detail)];
}

/** Items of a set are compared as wholes, so they cannot be merged. */
function setErrors(schema: Schema, field: string): FieldError[] {
  const { items } = schema;
  if (!items) return [];
  const errors = notNullable(items, field, 'set');
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items['x-kubernetes-list-type'];
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic') {
    errors.push(invalid(`${field}.items.x-kubernetes-list-type`, listType, detail));
  }
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    errors.push(invalid(`${field}.items.x-kubernetes-map-type`, listType ?? null, detail));
  }
  return errors;
}

function notNullable(items: Schema, field: string, listType: string): FieldError[] {
  if (items.nullable !== true) return [];
  return [forbidden(`${field}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`)];
}

function mapErrors(schema: Schema, keys: readonly string[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  const keysField = `${field}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) errors.push(required(keysField, 'must not be empty if x-kubernetes-list-type is map'));
  const { items } = schema;
  if (!items) return [...errors, required(`${field}.items`, 'must have a schema if x-kubernetes-list-type is map')];
  addAll(errors, notNullable(items, field, 'map'));
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, invalid(`${field}.items.type`, items.type ?? '', detail)];
  }
  for (const [index, key] of keys.entries()) {
    const property = getOwn(items.properties, key);
    if (!property) errors.push(invalid(keysField, keys, 'entries must all be names of item properties'));
    else addAll(errors, keyErrors(key, property, items, `${field}.items.properties[${key}]`));
    if (keys.indexOf(key) < index) errors.push(invalid(keysField, keys, 'must not contain duplicate entries'));
  }
  return errors;
}

function keyErrors(key: string, property: Schema, items: Schema, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (property.type === 'array' || property.type === 'object') {
    const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
    errors.push(invalid(`${field}.type`, items.type ?? '', detail));
  }
  if (!(items.required ?? []).includes(key) && property.default === undefined) {
    const detail =
      'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
    errors.push(required(`${field}.default`, detail));
  }
  if (property.nullable === true) {
    const detail = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable';
    errors.push(forbidden(`${field}.nullable`, detail));
  }
  return errors;
}
