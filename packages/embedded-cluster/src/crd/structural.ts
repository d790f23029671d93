import { type FieldError, forbidden, formatFieldError, invalid, required } from '@holdfast/base/field-errors';
import { compileRegexp } from '../cel/regexp/regexp.ts';
import type { Schema } from '../kinds/schema.ts';
import { equalJson, getOwn } from '../schema/json-values.ts';
import { addAll } from '../schema/result.ts';

/**
 * A structural schema says the type of everything outside of `allOf`, `anyOf`, `oneOf` and `not`; those may only narrow values.
 * Without that the server could not prune, default or merge.
 */
export function structuralErrors(schema: Schema, field: string): FieldError[] {
  const errors = [...levelErrors(schema, 'root', field), ...completenessErrors(schema, schema, field, field)];
  const texts = new Map(errors.map((error) => [error, formatFieldError(error)]));
  return errors.sort((a, b) => ((texts.get(a) ?? '') < (texts.get(b) ?? '') ? -1 : 1));
}

type Level = 'root' | 'item' | 'field';

const emptyType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function levelErrors(schema: Schema, level: Level, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const { items, properties, additionalProperties } = schema;
  if (schema.type === 'array' && !items) errors.push(required(`${field}.items`, 'must be specified'));
  if (items) addAll(errors, levelErrors(items, 'item', `${field}.items`));
  for (const [name, property] of Object.entries(properties ?? {})) {
    addAll(errors, levelErrors(property, 'field', `${field}.properties[${name}]`));
  }
  if (additionalProperties !== undefined && level === 'root') {
    errors.push(forbidden(`${field}.additionalProperties`, 'must not be used at the root'));
  }
  if (typeof additionalProperties === 'object') {
    addAll(errors, levelErrors(additionalProperties, 'field', `${field}.additionalProperties`));
  }
  return [
    ...errors,
    ...extensionErrors(schema, field),
    ...narrowingErrors(schema, field, isIntOrString(schema)),
    ...ownTypeErrors(schema, level, field),
    ...metadataErrors(schema, level, field),
  ];
}

function extensionErrors(schema: Schema, field: string): FieldError[] {
  if (schema['x-kubernetes-int-or-string'] !== true) return [];
  return (['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
    .filter((key) => schema[key] === true)
    .map((key) => invalid(`${field}.${key}`, true, 'must be false if x-kubernetes-int-or-string is true'));
}

function ownTypeErrors(schema: Schema, level: Level, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const type = schema.type ?? '';
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const preserve = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (embedded && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(`${field}.type`, detail) : invalid(`${field}.type`, type, detail));
  } else if (type === '' && schema['x-kubernetes-int-or-string'] !== true && !preserve) {
    errors.push(required(`${field}.type`, emptyType[level]));
  }
  if (embedded && schema.additionalProperties !== undefined) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set';
    errors.push(forbidden(`${field}.additionalProperties`, detail));
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalid(`${field}.type`, type, 'must be object at the root'));
  }
  if (embedded && !preserve && Object.keys(schema.properties ?? {}).length === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(required(`${field}.properties`, detail));
  }
  return errors;
}

function metadataErrors(schema: Schema, level: Level, field: string): FieldError[] {
  if (level !== 'root' && schema['x-kubernetes-embedded-resource'] !== true) return [];
  const errors: FieldError[] = [];
  for (const name of ['kind', 'apiVersion']) {
    const property = getOwn(schema.properties, name);
    if (property && property.type !== 'string') {
      errors.push(invalid(`${field}.properties[${name}].type`, property.type ?? '', 'must be string'));
    }
  }
  const metadata = getOwn(schema.properties, 'metadata');
  if (!metadata) return errors;
  const at = `${field}.properties[metadata]`;
  if (metadata.type !== 'object') errors.push(invalid(`${at}.type`, metadata.type ?? '', 'must be object'));
  if (level === 'root' && !onlyNames(metadata)) {
    const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    errors.push(forbidden(at, detail));
  }
  return errors;
}

function onlyNames(metadata: Schema): boolean {
  const others = Object.keys(metadata).filter((key) => !['type', 'properties', 'description', 'default'].includes(key));
  const names = Object.keys(metadata.properties ?? {});
  return others.length === 0 && names.every((name) => name === 'name' || name === 'generateName');
}

const intOrString = [{ type: 'integer' }, { type: 'string' }];

/** The one case in which `anyOf` may say types. */
function isIntOrString(schema: Schema): { anyOf: boolean; allOf: boolean } {
  return { anyOf: equalJson(schema.anyOf, intOrString), allOf: equalJson(schema.allOf?.[0]?.anyOf, intOrString) };
}

function narrowingErrors(schema: Schema, field: string, allowed: { anyOf: boolean; allOf: boolean }): FieldError[] {
  const errors: FieldError[] = [];
  const none = { anyOf: false, allOf: false };
  if (!allowed.anyOf) {
    for (const [i, part] of (schema.anyOf ?? []).entries())
      addAll(errors, nestedErrors(part, `${field}.anyOf[${i}]`, none));
  }
  for (const [i, part] of (schema.allOf ?? []).entries()) {
    addAll(errors, nestedErrors(part, `${field}.allOf[${i}]`, { anyOf: allowed.allOf && i === 0, allOf: false }));
  }
  for (const [i, part] of (schema.oneOf ?? []).entries())
    addAll(errors, nestedErrors(part, `${field}.oneOf[${i}]`, none));
  if (schema.not) addAll(errors, nestedErrors(schema.not, `${field}.not`, none));
  if (schema.pattern) {
    const compiled = compileRegexp(schema.pattern);
    if (!compiled.ok) {
      const detail = `must be a valid regular expression, but isn't: ${compiled.message}`;
      errors.push(invalid(`${field}.pattern`, schema.pattern, detail));
    }
  }
  return errors;
}

const unstructured: readonly (readonly [string, string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

function nestedErrors(schema: Schema, field: string, allowed: { anyOf: boolean; allOf: boolean }): FieldError[] {
  const errors = narrowingErrors(schema, field, allowed);
  const none = { anyOf: false, allOf: false };
  if (schema.items) addAll(errors, nestedErrors(schema.items, `${field}.items`, none));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    addAll(errors, nestedErrors(property, `${field}.properties[${name}]`, none));
  }
  for (const [key, detail] of unstructured) {
    const value = getOwn(schema as Readonly<Record<string, unknown>>, key);
    if (value !== undefined && value !== false && value !== '') errors.push(forbidden(`${field}.${key}`, detail));
  }
  if (getOwn(schema.properties, 'metadata')) {
    errors.push(forbidden(`${field}.properties[metadata]`, 'must not be specified in a nested context'));
  }
  return errors;
}

/** Whatever is narrowed must have been said before. */
function completenessErrors(narrowing: Schema, schema: Schema, field: string, where: string): FieldError[] {
  const parts: [Schema, string][] = [];
  if (narrowing.not) parts.push([narrowing.not, `${where}.not`]);
  for (const key of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [index, part] of (narrowing[key] ?? []).entries()) parts.push([part, `${where}.${key}[${index}]`]);
  }
  return parts.flatMap(([part, at]) => nestedCompleteness(part, schema, field, at));
}

function nestedCompleteness(part: Schema, schema: Schema, field: string, where: string): FieldError[] {
  const errors = completenessErrors(part, schema, field, where);
  if (part.items) addAll(errors, counterpart(part.items, schema.items, `${field}.items`, `${where}.items`));
  for (const [name, property] of Object.entries(part.properties ?? {})) {
    const below = `properties[${name}]`;
    addAll(errors, counterpart(property, getOwn(schema.properties, name), `${field}.${below}`, `${where}.${below}`));
  }
  return errors;
}

function counterpart(part: Schema, schema: Schema | undefined, field: string, where: string): FieldError[] {
  return schema
    ? nestedCompleteness(part, schema, field, where)
    : [required(field, `because it is defined in ${where}`)];
}
