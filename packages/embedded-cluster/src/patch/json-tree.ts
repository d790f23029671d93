/** JSON as patches see it: unlike in stored objects, null and "not there" differ, and keys may be hostile. */

export type JsonMap = Record<string, unknown>;

/** Deeper documents would not survive the recursion of the code that reads them later. */
const maxDepth = 512;

export function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function own(map: JsonMap, key: string): unknown {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** Assigning this key would change the map's prototype, so no document of ours holds it. */
export function isUnsafeKey(key: string): boolean {
  return key === '__proto__';
}

/** A copy that shares nothing with the value. Keys that cannot be kept safely are left out. */
export function copyJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson) as T;
  const copy: JsonMap = {};
  for (const key of Object.keys(value)) {
    if (!isUnsafeKey(key)) copy[key] = copyJson((value as JsonMap)[key]);
  }
  return copy as T;
}

/** A map's own copy: the values are shared. */
export function shallowCopy(map: JsonMap): JsonMap {
  const copy: JsonMap = {};
  for (const key of Object.keys(map)) {
    if (!isUnsafeKey(key)) copy[key] = map[key];
  }
  return copy;
}

/** Like copyJson, without the keys that are null, at any depth and inside lists. */
export function copyWithoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyWithoutNulls);
  if (!isMap(value)) return value;
  const copy: JsonMap = {};
  for (const key of Object.keys(value)) {
    const field = value[key];
    if (field !== null && !isUnsafeKey(key)) copy[key] = copyWithoutNulls(field);
  }
  return copy;
}

/** Null equals null alone; what is too deep to compare differs. */
export function equalJsonToDepth(left: unknown, right: unknown, levels = maxDepth): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (levels === 0 || Array.isArray(left) !== Array.isArray(right)) return false;
  if (Array.isArray(left) && Array.isArray(right)) return equalLists(left, right, levels - 1);
  return equalMaps(left as JsonMap, right as JsonMap, levels - 1);
}

function equalLists(left: readonly unknown[], right: readonly unknown[], levels: number): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index += 1) {
    if (!equalJsonToDepth(left[index], right[index], levels)) return false;
  }
  return true;
}

function equalMaps(left: JsonMap, right: JsonMap, levels: number): boolean {
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(right, key) || !equalJsonToDepth(left[key], right[key], levels)) return false;
  }
  return true;
}

/** Whether no branch is longer than that. */
export function isWithinDepth(value: unknown, levels = maxDepth): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  for (const child of Object.values(value)) {
    if (!isWithinDepth(child, levels - 1)) return false;
  }
  return true;
}
