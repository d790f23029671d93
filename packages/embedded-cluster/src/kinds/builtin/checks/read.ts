/**
 * Reading and filling in objects of unchecked shape. A field of the wrong type reads as one that is not
 * there: the schema, not these functions, refuses it.
 */

import type { JsonObject, KubeObject } from '../../../objects.ts';
import { isJsonObject } from '../../../schema/json-values.ts';

export function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

export function textAt(parent: JsonObject | undefined, key: string): string {
  const value = parent?.[key];
  return typeof value === 'string' ? value : '';
}

export function numberAt(parent: JsonObject | undefined, key: string): number | undefined {
  const value = parent?.[key];
  return typeof value === 'number' ? value : undefined;
}

export function objectAt(parent: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = parent?.[key];
  return isJsonObject(value) ? value : undefined;
}

const nothing: readonly never[] = [];

export function listAt(parent: JsonObject | undefined, key: string): readonly unknown[] {
  const value = parent?.[key];
  return Array.isArray(value) ? value : nothing;
}

/** Elements that are no objects read as empty ones, so that indexes stay what the client sees. */
export function objectsAt(parent: JsonObject | undefined, key: string): readonly JsonObject[] {
  const list = listAt(parent, key);
  for (const item of list) {
    if (!isJsonObject(item)) return list.map((element) => (isJsonObject(element) ? element : {}));
  }
  return list as readonly JsonObject[];
}

export function textsAt(parent: JsonObject | undefined, key: string): readonly string[] {
  return listAt(parent, key).filter((item) => typeof item === 'string');
}

/** The pairs of a map of strings; other values are left out. */
export function pairsAt(parent: JsonObject | undefined, key: string): readonly (readonly [string, string])[] {
  const map = objectAt(parent, key);
  if (map === undefined) return nothing;
  return Object.entries(map).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
}

export function specOf(object: KubeObject): JsonObject {
  return objectAt(object, 'spec') ?? {};
}

export function statusOf(object: KubeObject): JsonObject {
  return objectAt(object, 'status') ?? {};
}

/** The object at this key, made if nothing is there; undefined when something else stands in its place. */
export function ensureObject(parent: JsonObject, key: string): JsonObject | undefined {
  const value = parent[key];
  if (value === undefined || value === null) {
    const made: JsonObject = {};
    parent[key] = made;
    return made;
  }
  return isJsonObject(value) ? value : undefined;
}

/** For fields where zero and "not there" differ. */
export function fillIn(parent: JsonObject, key: string, value: unknown): void {
  const now = parent[key];
  if (now === undefined || now === null) parent[key] = value;
}

/** For fields where the empty string means "not there". */
export function fillInText(parent: JsonObject, key: string, value: string): void {
  const now = parent[key];
  if (now === undefined || now === null || now === '') parent[key] = value;
}

/** For numbers where zero means "not there". */
export function fillInNumber(parent: JsonObject, key: string, value: number): void {
  const now = parent[key];
  if (now === undefined || now === null || now === 0) parent[key] = value;
}
