/** RFC 7386. */

import { badRequest } from '../errors.ts';
import { jsonKind } from './go-format.ts';
import {
  copyJson,
  copyWithoutNulls,
  isMap,
  isUnsafeKey,
  isWithinDepth,
  type JsonMap,
  shallowCopy,
} from './json-tree.ts';
import { attempt, doesNotApply, type PatchResult } from './patch-result.ts';

/** The result shares what the patch leaves alone with the document; neither is changed. */
export function applyMergePatch(document: JsonMap, patch: unknown): PatchResult<JsonMap> {
  return attempt(() => {
    if (patch === null) throw badRequest('Invalid JSON Patch');
    if (!isMap(patch)) throw badRequest(notAMap(patch));
    if (!isWithinDepth(patch)) throw doesNotApply();
    return mergeMaps(document, patch);
  });
}

function notAMap(patch: unknown): string {
  return `error decoding patch: json: cannot unmarshal ${jsonKind(patch)} into Go value of type map[string]interface {}`;
}

function mergeMaps(document: JsonMap, patch: JsonMap): JsonMap {
  const result = shallowCopy(document);
  for (const key of Object.keys(patch)) {
    if (isUnsafeKey(key)) continue;
    const value = patch[key];
    if (value === null) delete result[key];
    else result[key] = mergeValue(Object.hasOwn(result, key) ? result[key] : undefined, value);
  }
  return result;
}

/** The API server also drops nulls from objects inside of lists, unless the list takes an object's place. */
function mergeValue(current: unknown, patch: unknown): unknown {
  if (!isMap(current)) return copyWithoutNulls(patch);
  return isMap(patch) ? mergeMaps(current, patch) : copyJson(patch);
}
