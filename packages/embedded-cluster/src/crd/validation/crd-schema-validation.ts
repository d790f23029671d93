import { type FieldError, forbidden, invalid } from '@holdfast/base/field-errors';
import type { Schema } from '../../kinds/schema.ts';
import { isJsonObject } from '../../schema/json-values.ts';
import { addAll } from '../../schema/result.ts';
import type { CrdVersion } from '../crd.ts';
import { structuralErrors } from '../structural.ts';
import { defaultErrors } from './schema-defaults-validation.ts';
import { keywordErrors } from './schema-keywords-validation.ts';
import { schemaRuleErrors } from './schema-rules-validation.ts';

/** With a status subresource the root may only say things that can be taken apart into the status and the rest. */
const allowedAtRoot = new Set([
  'description',
  'type',
  'format',
  'title',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'required',
  'items',
  'properties',
  'externalDocs',
  'example',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
]);

const allowedText =
  '[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations]';

/** Everything about the schema of one version. Rules are looked at only in schemas that are sound otherwise. */
export function crdSchemaErrors(version: CrdVersion, field: string, hasStatus: boolean): FieldError[] {
  const raw = version.schema?.openAPIV3Schema;
  if (raw === undefined) return [];
  const at = `${field}.openAPIV3Schema`;
  if (!isJsonObject(raw)) return [invalid(at, raw, 'must be an object')];
  const schema = raw as Schema;
  const shape = shapeProblem(schema, at);
  if (shape) return [shape];
  const errors = hasStatus ? rootErrors(schema, at) : [];
  if (schema.nullable === true) errors.push(forbidden(`${at}.nullable`, 'nullable cannot be true at the root'));
  const structural = structuralErrors(schema, at);
  addAll(errors, structural);
  if (structural.length === 0) addAll(errors, defaultErrors(schema, at));
  addAll(errors, keywordErrors(schema, at));
  return errors.length > 0 ? errors : schemaRuleErrors(schema, at);
}

function rootErrors(schema: Schema, field: string): FieldError[] {
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'type' && value !== 'object') {
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalid(`${field}.type`, value, detail)];
    }
    if (!allowedAtRoot.has(key)) {
      const detail = `only ${allowedText} fields are allowed at the root of the schema if the status subresource is enabled`;
      return [invalid(field, schema, detail)];
    }
  }
  return [];
}

/** The schema of CRDs leaves some keywords open; what follows must find schemas where it looks for them. */
function shapeProblem(schema: unknown, field: string): FieldError | undefined {
  if (!isJsonObject(schema)) return invalid(field, schema, 'must be a schema');
  const { items, additionalProperties, not, properties } = schema;
  if (Array.isArray(items)) return forbidden(`${field}.items`, 'items must be a schema object and not an array');
  for (const [key, value] of Object.entries({ items, not })) {
    const problem = value === undefined ? undefined : shapeProblem(value, `${field}.${key}`);
    if (problem) return problem;
  }
  if (additionalProperties !== undefined && typeof additionalProperties !== 'boolean') {
    const problem = shapeProblem(additionalProperties, `${field}.additionalProperties`);
    if (problem) return problem;
  }
  if (properties !== undefined && !isJsonObject(properties))
    return invalid(`${field}.properties`, properties, 'must be an object');
  for (const [name, property] of Object.entries(properties ?? {})) {
    const problem = shapeProblem(property, `${field}.properties[${name}]`);
    if (problem) return problem;
  }
  for (const key of ['allOf', 'anyOf', 'oneOf'] as const) {
    const parts: unknown = schema[key] ?? [];
    if (!Array.isArray(parts)) return invalid(`${field}.${key}`, parts, 'must be a list');
    for (const [index, part] of parts.entries()) {
      const problem = shapeProblem(part, `${field}.${key}[${index}]`);
      if (problem) return problem;
    }
  }
  return undefined;
}
