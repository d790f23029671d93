import { type FieldError, invalid } from '@holdfast/base/field-errors';
import type { Schema } from '../../kinds/schema.ts';
import { clone } from '../../objects.ts';
import { celRuleErrors } from '../../schema/cel-rules.ts';
import { listTypeErrors } from '../../schema/list-types.ts';
import { prune } from '../../schema/prune.ts';
import { addAll, noField } from '../../schema/result.ts';
import { validateSchema } from '../../schema/validate.ts';

/** A default must be a value that a client could have written itself. */
export function defaultErrors(schema: Schema, field: string): FieldError[] {
  const errors: FieldError[] = schema.default === undefined ? [] : ownErrors(schema, `${field}.default`);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    addAll(errors, defaultErrors(property, `${field}.properties[${name}]`));
  }
  if (schema.items) addAll(errors, defaultErrors(schema.items, `${field}.items`));
  if (typeof schema.additionalProperties === 'object') {
    addAll(errors, defaultErrors(schema.additionalProperties, `${field}.additionalProperties`));
  }
  return errors;
}

function ownErrors(schema: Schema, field: string): FieldError[] {
  const unknown = prune(clone(schema.default), schema);
  if (unknown.length > 0) return [invalid(field, schema.default, 'must not have unknown fields')];
  const value = schema.default;
  const errors = [...validateSchema(value, schema), ...listTypeErrors(value, schema)];
  const found = errors.length > 0 ? errors : celRuleErrors(value, undefined, schema);
  return found.map((error) => ({ ...error, field: below(field, error.field) }));
}

function below(field: string, inside: string): string {
  if (inside === noField) return field;
  return inside.startsWith('[') ? `${field}${inside}` : `${field}.${inside}`;
}
