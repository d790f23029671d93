import type { FieldError } from '@holdfast/base/field-errors';
import type { Schema } from '../kinds/schema.ts';
import { enumErrors, formatErrors, numberErrors, stringErrors, typeErrors } from './checks.ts';
import { itemCorrelator } from './correlate.ts';
import { canonical, equalJson, getOwn, isJsonObject } from './json-values.ts';
import { fieldName, invalidAt, merge, newResult, type Result, unplaced } from './result.ts';

export interface ValidateOptions {
  /** Where the value stands, for the texts; '' is the root. */
  readonly path?: string;
  /** The value before the update: what has not changed since is not held against the client. */
  readonly old?: unknown;
}

/** Checks a value against a structural schema, in the words of the real server. CEL rules and list types are checked elsewhere. */
export function validateSchema(value: unknown, schema: Schema, options: ValidateOptions = {}): readonly FieldError[] {
  return check(value, schema, options.path ?? '', options.old).errors;
}

function check(value: unknown, schema: Schema, path: string, old: unknown): Result {
  const result = newResult();
  const types = typeErrors(value, schema, path);
  result.errors.push(...types);
  result.matches += types.length === 0 ? 2 : 1;
  if (value !== null && value !== undefined) {
    merge(result, checkCombinations(value, schema, path));
    checkValue(value, schema, path, old, result);
  } else result.errors.push(...enumErrors(value, schema, path));
  const unchanged = result.errors.length > 0 && old !== undefined && equalJson(value, old);
  if (unchanged) result.errors.length = 0;
  return result;
}

function checkValue(value: unknown, schema: Schema, path: string, old: unknown, result: Result): void {
  if (typeof value === 'string') {
    result.errors.push(...stringErrors(value, schema, path), ...formatErrors(value, schema, path));
  }
  if (typeof value === 'number') result.errors.push(...numberErrors(value, schema, path));
  if (Array.isArray(value)) merge(result, checkList(value, schema, path, old));
  result.errors.push(...enumErrors(value, schema, path));
  if (isJsonObject(value)) merge(result, checkObject(value, schema, path, old));
}

function checkList(list: readonly unknown[], schema: Schema, path: string, old: unknown): Result {
  const result = newResult();
  const { items, minItems, maxItems } = schema;
  if (items) {
    const oldOf = itemCorrelator(schema, old);
    for (const [index, item] of list.entries()) {
      merge(result, check(item, items, `${path}[${index}]`, oldOf(item)));
    }
  }
  if (minItems !== undefined && list.length < minItems) {
    result.errors.push(invalidAt(path, list.length, `${path} in body should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && list.length > maxItems) result.errors.push(tooMany(path, list.length, maxItems));
  if (schema.uniqueItems === true && new Set(list.map(canonical)).size < list.length) {
    result.errors.push(invalidAt(path, '', `${path} in body shouldn't contain duplicates`));
  }
  return result;
}

function tooMany(path: string, actual: number, limit: number): FieldError {
  const detail = `must have at most ${limit} ${limit === 1 ? 'item' : 'items'}`;
  return { type: 'FieldValueTooMany', field: fieldName(path), value: actual, detail };
}

function checkObject(object: Readonly<Record<string, unknown>>, schema: Schema, path: string, old: unknown): Result {
  const result = newResult();
  const { minProperties, maxProperties, properties, additionalProperties } = schema;
  const keys = Object.keys(object);
  if (minProperties !== undefined && keys.length < minProperties) {
    result.errors.push(
      invalidAt(path, keys.length, `${path} in body should have at least ${minProperties} properties`),
    );
  }
  if (maxProperties !== undefined && keys.length > maxProperties) {
    result.errors.push(tooMany(path, keys.length, maxProperties));
  }
  const before = isJsonObject(old) ? old : undefined;
  for (const key of keys) {
    const property = getOwn(properties, key);
    const at = property && path === '' ? key : `${path}.${key}`;
    if (property) merge(result, check(object[key], property, at, getOwn(before, key)));
    else if (additionalProperties === false) {
      result.errors.push(invalidAt(path, key, `${path}.${key} in body is a forbidden property`));
    } else if (typeof additionalProperties === 'object') {
      merge(result, check(object[key], additionalProperties, at, getOwn(before, key)));
    }
  }
  for (const key of schema.required ?? []) {
    if (!Object.hasOwn(object, key)) {
      result.errors.push({ type: 'FieldValueRequired', field: fieldName(`${path}.${key}`), detail: '' });
    }
  }
  return result;
}

/** Unchanged parts are no excuse in here, as on the real server. */
function checkCombinations(value: unknown, schema: Schema, path: string): Result {
  const result = newResult();
  if (schema.anyOf && schema.anyOf.length > 0) merge(result, checkAnyOf(value, schema.anyOf, path));
  if (schema.oneOf && schema.oneOf.length > 0) merge(result, checkOneOf(value, schema.oneOf, path));
  if (schema.allOf && schema.allOf.length > 0) merge(result, checkAllOf(value, schema.allOf, path));
  if (schema.not && check(value, schema.not, path, undefined).errors.length === 0) {
    result.errors.push(unplaced(`"${path}" must not validate the schema (not)`));
  }
  return result;
}

function checkAnyOf(value: unknown, options: readonly Schema[], path: string): Result {
  let best: Result | undefined;
  for (const option of options) {
    const tried = check(value, option, path, undefined);
    if (tried.errors.length === 0) return tried;
    if (!best || tried.matches > best.matches) best = tried;
  }
  const result = newResult();
  result.errors.push(unplaced(`"${path}" must validate at least one schema (anyOf)`));
  if (best) merge(result, best);
  return result;
}

function checkOneOf(value: unknown, options: readonly Schema[], path: string): Result {
  const tried = options.map((option) => check(value, option, path, undefined));
  const [first, ...others] = tried.filter((one) => one.errors.length === 0);
  if (first && others.length === 0) return first;
  const result = newResult();
  const found = first ? `Found ${others.length + 1} valid alternatives` : 'Found none valid';
  result.errors.push(unplaced(`"${path}" must validate one and only one schema (oneOf). ${found}`));
  if (!first) {
    const best = tried.reduce<Result | undefined>((a, b) => (a && a.matches >= b.matches ? a : b), undefined);
    if (best) merge(result, best);
  }
  return result;
}

function checkAllOf(value: unknown, schemas: readonly Schema[], path: string): Result {
  const result = newResult();
  let valid = 0;
  for (const schema of schemas) {
    const one = check(value, schema, path, undefined);
    if (one.errors.length === 0) valid += 1;
    merge(result, one);
  }
  if (valid < schemas.length) {
    const none = valid === 0 ? '. None validated' : '';
    result.errors.push(unplaced(`"${path}" must validate all the schemas (allOf)${none}`));
  }
  return result;
}
