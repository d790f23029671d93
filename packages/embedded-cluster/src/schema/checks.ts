/** The checks of single values: type, format, text, number, enumeration. */

import { type FieldError, notSupported } from '@holdfast/base/field-errors';
import { compileRegexp, TooMuchWork } from '../cel/regexp/regexp.ts';
import type { Schema } from '../kinds/schema.ts';
import { hasFormat, isKnownFormat } from './formats.ts';
import { equalJson, isJsonObject } from './json-values.ts';
import { fieldName, invalidAt, unplaced, wrongType } from './result.ts';

export function typeErrors(value: unknown, schema: Schema, path: string): FieldError[] {
  const expected = expectedTypes(schema);
  if (value === null || value === undefined) {
    const allowed = expected.length === 0 || schema.nullable === true;
    return allowed ? [] : [wrongType(path, expected.join(','), 'null')];
  }
  const actual = typeOf(value);
  const fits = expected.includes(actual) || (actual === 'integer' && expected.includes('number'));
  const textual = actual === 'string' || actual === 'array';
  if (schema.format && !fits && !textual) return [wrongType(path, schema.format, numericFormat(actual))];
  const numeric = expected.includes('number') || expected.includes('integer');
  if (schema.format && textual && !numeric) return [];
  return fits || expected.length === 0 ? [] : [wrongType(path, expected.join(','), actual)];
}

function expectedTypes(schema: Schema): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return schema.type ? [schema.type] : [];
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (isJsonObject(value)) return 'object';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function numericFormat(type: string): string {
  return type === 'integer' ? 'int64' : type === 'number' ? 'float64' : '';
}

export function formatErrors(text: string, schema: Schema, path: string): FieldError[] {
  const { format } = schema;
  if (!format || !isKnownFormat(format) || hasFormat(text, format)) return [];
  return [wrongType(path, format, text)];
}

/** One problem at most: a text that is too long is not also matched. */
export function stringErrors(text: string, schema: Schema, path: string): FieldError[] {
  const { maxLength, minLength, pattern } = schema;
  const length = maxLength === undefined && minLength === undefined ? 0 : Array.from(text).length;
  if (maxLength !== undefined && length > maxLength) {
    const detail = `may not be more than ${maxLength} ${maxLength === 1 ? 'byte' : 'bytes'}`;
    return [{ type: 'FieldValueTooLong', field: fieldName(path), detail }];
  }
  if (minLength !== undefined && length < minLength) {
    return [invalidAt(path, text, `${path} in body should be at least ${minLength} chars long`)];
  }
  return pattern === undefined || pattern === '' ? [] : patternErrors(text, pattern, path);
}

function patternErrors(text: string, pattern: string, path: string): FieldError[] {
  const compiled = compileRegexp(pattern);
  if (!compiled.ok) {
    const detail = `${path} in body should match '${pattern}', but pattern is invalid: ${compiled.message}`;
    return [invalidAt(path, text, detail)];
  }
  try {
    if (compiled.regexp.test(text)) return [];
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error;
  }
  return [invalidAt(path, text, `${path} in body should match '${pattern}'`)];
}

export function numberErrors(value: number, schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (schema.type === 'integer' && !inRange(value, schema.format)) {
    const format = schema.format === 'int32' ? 'with format int32' : '(default format)';
    errors.push(unplaced(`Checked value must be of type integer ${format} in ${path}`));
  }
  const { multipleOf, minimum, maximum } = schema;
  if (multipleOf !== undefined && multipleOf > 0 && !Number.isInteger(value / multipleOf)) {
    errors.push(invalidAt(path, value, `${path} in body should be a multiple of ${multipleOf}`));
  }
  if (minimum !== undefined) {
    const strict = schema.exclusiveMinimum === true;
    if (strict ? value <= minimum : value < minimum) {
      const bound = strict ? 'greater than' : 'greater than or equal to';
      errors.push(invalidAt(path, value, `${path} in body should be ${bound} ${minimum}`));
    }
  }
  if (maximum !== undefined) {
    const strict = schema.exclusiveMaximum === true;
    if (strict ? value >= maximum : value > maximum) {
      const bound = strict ? 'less than' : 'less than or equal to';
      errors.push(invalidAt(path, value, `${path} in body should be ${bound} ${maximum}`));
    }
  }
  return errors;
}

const maxInt32 = 2_147_483_647;

function inRange(value: number, format: string | undefined): boolean {
  if (!Number.isInteger(value)) return true;
  return format === 'int32' ? value <= maxInt32 && value >= -maxInt32 - 1 : Math.abs(value) <= 2 ** 63;
}

export function enumErrors(value: unknown, schema: Schema, path: string): FieldError[] {
  const { enum: allowed } = schema;
  if (!allowed || allowed.length === 0 || allowed.some((one) => equalJson(one, value))) return [];
  if (value === undefined || (value === null && schema.nullable === true && allowed.includes(null))) return [];
  const words = allowed.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
  return [notSupported(fieldName(path), value, words)];
}
