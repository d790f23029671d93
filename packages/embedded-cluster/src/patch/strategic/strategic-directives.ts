/** The keys of a strategic merge patch that say how to merge instead of what. */

import { type ApiError, badRequest } from '../../errors.ts';
import { printValue, typeName } from '../go-format.ts';
import { isMap, isUnsafeKey, type JsonMap } from '../json-tree.ts';
import { unclassified } from '../patch-result.ts';

export const patchMarker = '$patch';
export const retainKeys = '$retainKeys';
export const setElementOrder = '$setElementOrder';
export const deleteFromPrimitiveList = '$deleteFromPrimitiveList';

export const refusals = {
  badPrimitiveList: (): ApiError => badRequest('invalid patch format of primitive list'),
  badRetainKeys: (): ApiError => badRequest('invalid patch format of retainKeys'),
  badElementOrder: (): ApiError => badRequest('invalid patch format of setElementOrder list'),
  noMergeKey: (map: JsonMap, key: string): ApiError =>
    unclassified(`map: ${printValue(map)} does not contain declared merge key: ${key}`),
  unknownDirective: (directive: unknown, map: JsonMap): ApiError =>
    unclassified(`unknown patch type: ${printValue(directive)} in map: ${printValue(map)}`),
  notAList: (value: unknown): ApiError => unclassified(`expected a []interface {}, but received a ${typeName(value)}`),
};

/** The field that a key such as `$setElementOrder/containers` is about; undefined: the key is another one. */
export function directiveTarget(key: string, directive: string, refuse: () => ApiError): string | undefined {
  if (!key.startsWith(directive)) return undefined;
  const slash = key.indexOf('/');
  if (key.slice(0, slash < 0 ? key.length : slash) !== directive || slash < 0) throw refuse();
  return key.slice(slash + 1);
}

function isDirective(key: string): boolean {
  return key === retainKeys || key.startsWith(`${setElementOrder}/`) || key.startsWith(`${deleteFromPrimitiveList}/`);
}

/**
 * The plain value of a part of a patch that has nothing to be merged with: without directives and nulls. Undefined: the part is
 * only there to delete or replace something.
 */
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isMap(value)) return value;
  return Object.hasOwn(value, patchMarker) ? undefined : plainFields(value, withoutDirectives);
}

/** The plain value of a part of a patch that is taken as it is: directives inside of it have no effect. */
export function asItIs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asItIs);
  return isMap(value) ? plainFields(value, asItIs) : value;
}

function plainFields(map: JsonMap, plainValue: (value: unknown) => unknown): JsonMap {
  const result: JsonMap = {};
  for (const key of Object.keys(map)) {
    if (map[key] === null || key === patchMarker || isDirective(key) || isUnsafeKey(key)) continue;
    const plain = plainValue(map[key]);
    if (plain !== undefined) result[key] = plain;
  }
  return result;
}

/** What is left of the original once `$retainKeys` of the patch has been obeyed. */
export function retain(original: JsonMap, patch: JsonMap): JsonMap {
  if (!Object.hasOwn(patch, retainKeys)) return original;
  const list = patch[retainKeys];
  if (!Array.isArray(list)) throw refusals.badRetainKeys();
  const kept = new Set<unknown>(list);
  for (const key of Object.keys(patch)) {
    if (patch[key] !== null && !isDirective(key) && !kept.has(key)) throw refusals.badRetainKeys();
  }
  return Object.fromEntries(Object.entries(original).filter(([key]) => kept.has(key)));
}
