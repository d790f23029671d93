import { type FieldError, invalid, required } from '@holdfast/base/field-errors';
import type { Schema } from '../kinds/schema.ts';
import { getOwn, isJsonObject } from './json-values.ts';
import { addAll } from './result.ts';
import { dns1035Problem } from './schema-names.ts';

/** Whatever is said to be a resource inside a resource must name its type, and have metadata that reads as such. */
export function embeddedResourceErrors(value: unknown, schema: Schema | undefined, path = ''): FieldError[] {
  if (!schema) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => embeddedResourceErrors(item, schema.items, `${path}[${index}]`));
  }
  if (!isJsonObject(value)) return [];
  const errors = schema['x-kubernetes-embedded-resource'] === true ? resourceErrors(value, path) : [];
  for (const key of Object.keys(value)) {
    const property = getOwn(schema.properties, key);
    if (property) addAll(errors, embeddedResourceErrors(value[key], property, path === '' ? key : `${path}.${key}`));
    else if (typeof schema.additionalProperties === 'object') {
      addAll(errors, embeddedResourceErrors(value[key], schema.additionalProperties, `${path}[${key}]`));
    }
  }
  return errors;
}

function resourceErrors(resource: Readonly<Record<string, unknown>>, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ['apiVersion', 'kind']) {
    const value = getOwn(resource, name);
    const field = `${path}.${name}`;
    if (value === undefined) errors.push(required(field, ''));
    else if (typeof value !== 'string') errors.push(invalid(field, value, 'must be a string'));
    else if (value === '') errors.push(invalid(field, value, 'must not be empty'));
    else addAll(errors, name === 'kind' ? kindErrors(value, field) : apiVersionErrors(value, field));
  }
  const metadata = getOwn(resource, 'metadata');
  if (metadata !== undefined && !isJsonObject(metadata)) {
    errors.push(invalid(`${path}.metadata`, metadata, 'must be an object'));
  }
  return errors;
}

function kindErrors(kind: string, field: string): FieldError[] {
  const problem = dns1035Problem(kind.toLowerCase());
  return problem === undefined
    ? []
    : [invalid(field, kind, `may have mixed case, but should otherwise match: ${problem}`)];
}

function apiVersionErrors(apiVersion: string, field: string): FieldError[] {
  const parts = apiVersion.split('/').length;
  return parts <= 2 ? [] : [invalid(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
}
