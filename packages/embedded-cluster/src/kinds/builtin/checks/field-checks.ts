/** Checks that many kinds share, and the field errors that only the API server has. */

import { type FieldError, forbidden, invalid, notSupported, required } from '@holdfast/base/field-errors';
import { sameJson } from '@holdfast/base/json';
import type { JsonObject } from '../../../objects.ts';
import { isThere, numberAt, textAt } from './read.ts';
import { outOfRange, percentProblems, portNameProblems, portNumberProblems } from './syntax.ts';

export const notNegative = 'must be greater than or equal to 0';
export const isImmutable = 'field is immutable';
export const maxInt32 = 2_147_483_647;

export function duplicate(field: string, value: unknown): FieldError {
  return { type: 'FieldValueDuplicate', field, value, detail: '' };
}

export function missing(field: string, value: unknown): FieldError {
  return { type: 'FieldValueNotFound', field, value, detail: '' };
}

export function tooLong(field: string, limit: number): FieldError {
  return { type: 'FieldValueTooLong', field, detail: `may not be more than ${limit} bytes` };
}

export function tooMany(field: string, count: number, limit: number): FieldError {
  const detail = limit === 1 ? 'must have at most 1 item' : `must have at most ${limit} items`;
  return { type: 'FieldValueTooMany', field, value: count, detail };
}

/** One error for each thing that is wrong with the value. */
export function problemsOf(
  field: string,
  value: string,
  problems: (value: string) => readonly string[],
): readonly FieldError[] {
  return problems(value).map((problem) => invalid(field, value, problem));
}

export function requiredText(
  parent: JsonObject | undefined,
  key: string,
  path: string,
  problems?: (value: string) => readonly string[],
): readonly FieldError[] {
  const value = textAt(parent, key);
  const field = `${path}.${key}`;
  if (value === '') return [required(field, '')];
  return problems === undefined ? [] : problemsOf(field, value, problems);
}

/** Checks the text if there is one. */
export function optionalText(
  parent: JsonObject | undefined,
  key: string,
  path: string,
  problems: (value: string) => readonly string[],
): readonly FieldError[] {
  const value = textAt(parent, key);
  return value === '' ? [] : problemsOf(`${path}.${key}`, value, problems);
}

export function notNegativeFields(
  parent: JsonObject | undefined,
  path: string,
  keys: readonly string[],
): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const key of keys) {
    const value = numberAt(parent, key);
    if (value !== undefined && value < 0) errors.push(invalid(`${path}.${key}`, value, notNegative));
  }
  return errors;
}

export function inRange(
  parent: JsonObject | undefined,
  key: string,
  path: string,
  low: number,
  high: number,
): readonly FieldError[] {
  const value = numberAt(parent, key);
  if (value === undefined || (value >= low && value <= high)) return [];
  return [invalid(`${path}.${key}`, value, outOfRange(low, high))];
}

/** The value is one of these; when it is not there, it is required. */
export function oneOf(
  parent: JsonObject | undefined,
  key: string,
  path: string,
  supported: readonly string[],
): readonly FieldError[] {
  const value = textAt(parent, key);
  if (value === '') return [required(`${path}.${key}`, '')];
  return supported.includes(value) ? [] : [notSupported(`${path}.${key}`, value, supported)];
}

export function oneOfIfThere(
  parent: JsonObject | undefined,
  key: string,
  path: string,
  supported: readonly string[],
): readonly FieldError[] {
  return isThere(parent?.[key]) ? oneOf(parent, key, path, supported) : [];
}

export function unchanged(field: string, now: unknown, before: unknown): readonly FieldError[] {
  if (sameJson(now, before)) return [];
  return [invalid(field, now ?? null, isImmutable)];
}

export function unchangedFields(
  now: JsonObject,
  before: JsonObject,
  path: string,
  keys: readonly string[],
): readonly FieldError[] {
  return keys.flatMap((key) => unchanged(`${path}.${key}`, now[key], before[key]));
}

/** The rule of objects with `immutable: true`. */
export function unchangedWhenImmutable(
  now: JsonObject,
  before: JsonObject,
  keys: readonly string[],
): readonly FieldError[] {
  if (before['immutable'] !== true) return [];
  const detail = 'field is immutable when `immutable` is set';
  const errors = keys.filter((key) => !sameJson(now[key], before[key])).map((key) => forbidden(key, detail));
  return now['immutable'] === true ? errors : [forbidden('immutable', detail), ...errors];
}

export function portErrors(value: unknown, field: string): readonly FieldError[] {
  if (typeof value === 'string') return problemsOf(field, value, portNameProblems);
  const port = typeof value === 'number' ? value : 0;
  return portNumberProblems(port).map((problem) => invalid(field, port, problem));
}

/** A count or a percentage, not negative. */
export function amountErrors(value: unknown, field: string): readonly FieldError[] {
  if (typeof value === 'string') return problemsOf(field, value, percentProblems);
  if (typeof value === 'number' && value < 0) return [invalid(field, value, notNegative)];
  return [];
}

export function atMostAll(value: unknown, field: string): readonly FieldError[] {
  if (typeof value !== 'string' || percentProblems(value).length > 0) return [];
  return Number(value.slice(0, -1)) > 100 ? [invalid(field, value, 'must not be greater than 100%')] : [];
}

/** The number in a count or a percentage; what is neither counts as zero. */
export function amountNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || percentProblems(value).length > 0) return 0;
  return Number(value.slice(0, -1));
}
