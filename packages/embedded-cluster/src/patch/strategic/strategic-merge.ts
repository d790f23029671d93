/** Strategic merge patches: merge patches that know from the schema which lists to merge, and by which key. */

import { badRequest } from '../../errors.ts';
import type { Schema } from '../../kinds/schema.ts';
import { jsonKind } from '../go-format.ts';
import { isMap, isUnsafeKey, isWithinDepth, type JsonMap, own, shallowCopy } from '../json-tree.ts';
import { attempt, doesNotApply, type PatchResult } from '../patch-result.ts';
import {
  asItIs,
  deleteFromPrimitiveList,
  directiveTarget,
  patchMarker,
  refusals,
  retain,
  retainKeys,
  setElementOrder,
  withoutDirectives,
} from './strategic-directives.ts';
import { deleteScalars, mergeList, orderList } from './strategic-lists.ts';
import { fieldSchema, listRule, replacesMap } from './strategic-schema.ts';

/** The result shares what the patch leaves alone with the original, and what it adds with the patch; neither is changed. */
export function applyStrategicMergePatch(
  original: JsonMap,
  patch: unknown,
  schema: Schema | undefined,
): PatchResult<JsonMap> {
  return attempt(() => {
    if (patch === null) return original;
    if (!isMap(patch)) {
      throw badRequest(`json: cannot unmarshal ${jsonKind(patch)} into Go value of type map[string]interface {}`);
    }
    if (!isWithinDepth(patch)) throw doesNotApply();
    return mergeMap(original, patch, schema);
  });
}

function mergeMap(original: JsonMap, patch: JsonMap, schema: Schema | undefined): JsonMap {
  if (Object.hasOwn(patch, patchMarker)) return obeyDirective(patch);
  const result = shallowCopy(retain(original, patch));
  const done = orderLists(result, patch, schema);
  for (const key of Object.keys(patch)) {
    if (isUnsafeKey(key) || key === retainKeys || done.has(key)) continue;
    const doomedFrom = directiveTarget(key, deleteFromPrimitiveList, refusals.badPrimitiveList);
    if (doomedFrom !== undefined) deleteFromList(result, doomedFrom, patch[key]);
    else mergeField(result, key, patch[key], fieldSchema(schema, key));
  }
  return result;
}

function obeyDirective(patch: JsonMap): JsonMap {
  if (patch[patchMarker] === 'replace') return asItIs(patch) as JsonMap;
  if (patch[patchMarker] === 'delete') return {};
  throw refusals.unknownDirective(patch[patchMarker], patch);
}

/** Merges the lists that `$setElementOrder` is about. Returns the keys of the patch that are dealt with. */
function orderLists(result: JsonMap, patch: JsonMap, schema: Schema | undefined): ReadonlySet<string> {
  const done = new Set<string>();
  for (const key of Object.keys(patch)) {
    const field = directiveTarget(key, setElementOrder, refusals.badElementOrder);
    if (field === undefined) continue;
    const order = patch[key];
    if (!Array.isArray(order)) throw refusals.notAList(order);
    done.add(key);
    if (isUnsafeKey(field)) continue;
    const rule = listRule(fieldSchema(schema, field));
    const list = orderList(own(result, field), own(patch, field), order, rule, mergeMap);
    if (list !== undefined) {
      result[field] = list;
      done.add(field);
    }
  }
  return done;
}

function deleteFromList(result: JsonMap, field: string, doomed: unknown): void {
  const list = own(result, field);
  if (Array.isArray(list) && Array.isArray(doomed)) result[field] = deleteScalars(list, doomed);
}

function mergeField(result: JsonMap, key: string, patch: unknown, schema: Schema | undefined): void {
  const merged = patch === null ? undefined : mergedValue(own(result, key), patch, schema);
  if (merged === undefined) delete result[key];
  else result[key] = merged;
}

/** Undefined: the field goes. */
function mergedValue(original: unknown, patch: unknown, schema: Schema | undefined): unknown {
  if (isMap(original) && isMap(patch)) {
    return replacesMap(schema) ? asItIs(patch) : mergeMap(original, patch, schema);
  }
  if (Array.isArray(original) && Array.isArray(patch)) return mergeList(original, patch, listRule(schema), mergeMap);
  return withoutDirectives(patch);
}
