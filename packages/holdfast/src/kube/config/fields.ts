import { type Fields, isObject, isUnset } from '@holdfast/base/json';
import { ConfigError } from './access.ts';

/** Reads fields of a configuration. Each throws a ConfigError when the field is something else. */

export function textOf(source: Fields, key: string): string | undefined {
  const value = source[key];
  if (isUnset(value)) return undefined;
  if (typeof value !== 'string') throw new ConfigError(`${key} must be a string`);
  return value;
}

export function flagOf(source: Fields, key: string): boolean {
  const value = source[key];
  if (isUnset(value)) return false;
  if (typeof value !== 'boolean') throw new ConfigError(`${key} must be true or false`);
  return value;
}

export function listOf(source: Fields, key: string): readonly unknown[] {
  const value = source[key];
  if (isUnset(value)) return [];
  if (!Array.isArray(value)) throw new ConfigError(`${key} must be a list`);
  return value;
}

export function textsOf(source: Fields, key: string): readonly string[] {
  const values = listOf(source, key);
  if (!values.every((value) => typeof value === 'string')) throw new ConfigError(`${key} must be a list of strings`);
  return values;
}

export function fieldsOf(source: Fields, key: string): Fields | undefined {
  const value = source[key];
  if (isUnset(value)) return undefined;
  if (!isObject(value)) throw new ConfigError(`${key} must be an object`);
  return value;
}
