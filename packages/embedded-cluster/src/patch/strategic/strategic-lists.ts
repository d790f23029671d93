/** Lists in strategic merge patches. */

import type { ApiError } from '../../errors.ts';
import type { Schema } from '../../kinds/schema.ts';
import { printValue, typeName } from '../go-format.ts';
import { isMap, type JsonMap, own } from '../json-tree.ts';
import { doesNotApply, unclassified } from '../patch-result.ts';
import { asItIs, patchMarker, refusals, withoutDirectives } from './strategic-directives.ts';
import { identity, ordered, positions } from './strategic-order.ts';
import type { ListRule } from './strategic-schema.ts';

/** Merges an element of the patch into the element of the original that it names. */
export type MergeElement = (original: JsonMap, patch: JsonMap, schema: Schema | undefined) => JsonMap;

export function mergeList(
  original: readonly unknown[],
  patch: readonly unknown[],
  rule: ListRule,
  mergeElement: MergeElement,
): unknown[] {
  if (!rule.merges) return patch.map(asItIs);
  if (original.length === 0 && patch.length === 0) return [];
  return holdsMaps(original, patch)
    ? mergeMaps(original as JsonMap[], patch as JsonMap[], rule, mergeElement)
    : ordered([...new Set([...original, ...patch])], patch, original, undefined);
}

export function deleteScalars(original: readonly unknown[], doomed: readonly unknown[]): unknown[] {
  if (original.length > 0 && holdsMaps(original, doomed)) {
    throw unclassified('cannot merge lists without merge key for a list of maps');
  }
  const gone = new Set(doomed);
  return original.filter((element) => !gone.has(element));
}

/** Elements must all be of one type, and no lists. */
function holdsMaps(...lists: readonly (readonly unknown[])[]): boolean {
  const all = lists.flat(1);
  if (lists.some((list) => list.some(Array.isArray))) throw doesNotApply();
  const first = typeName(all[0]);
  if (all.some((element) => typeName(element) !== first)) {
    throw unclassified(`list element types are not identical: ${printValue(lists)}`);
  }
  return isMap(all[0]);
}

function mergeMaps(
  original: readonly JsonMap[],
  patch: readonly JsonMap[],
  rule: ListRule,
  mergeElement: MergeElement,
): unknown[] {
  const { mergeKey, element } = rule;
  if (mergeKey === undefined) throw unclassified('cannot merge lists without merge key for a list of maps');
  const { kept, changes } = obeyElementDirectives(original, patch, mergeKey);
  const merged: JsonMap[] = [...kept];
  const places = positions(kept, mergeKey);
  for (const change of changes) {
    const id = identity(change, mergeKey);
    const index = places.get(id) ?? merged.length;
    const found = merged[index];
    merged[index] = found === undefined ? newElement(change, mergeKey) : mergeElement(found, change, element);
    places.set(id, index);
  }
  return ordered(merged, changes, kept, mergeKey);
}

/** `$patch` in elements: deletes the ones it names, or makes the other elements of the patch replace everything. */
function obeyElementDirectives(
  original: readonly JsonMap[],
  patch: readonly JsonMap[],
  mergeKey: string,
): { kept: readonly JsonMap[]; changes: readonly JsonMap[] } {
  const changes = patch.filter((element) => !Object.hasOwn(element, patchMarker));
  const doomed = new Set<unknown>();
  let replaces = false;
  for (const element of patch) {
    if (!Object.hasOwn(element, patchMarker)) continue;
    if (element[patchMarker] === 'delete') doomed.add(identity(element, mergeKey));
    else if (element[patchMarker] === 'replace') replaces = true;
    else throw unusableDirective(element);
  }
  if (replaces) return { kept: changes.map((change) => newElement(change, mergeKey)), changes: [] };
  return { kept: original.filter((element) => !doomed.has(element[mergeKey])), changes };
}

/** Validation is to see a key that is null. */
function newElement(change: JsonMap, mergeKey: string): JsonMap {
  const element = asItIs(change) as JsonMap;
  return Object.hasOwn(change, mergeKey) ? { ...element, [mergeKey]: change[mergeKey] } : element;
}

function unusableDirective(element: JsonMap): ApiError {
  return element[patchMarker] === 'merge'
    ? unclassified('merging lists cannot yet be specified in the patch')
    : refusals.unknownDirective(element[patchMarker], element);
}

/** Obeys `$setElementOrder` for one list. Undefined: neither side has the list. */
export function orderList(
  original: unknown,
  patch: unknown,
  order: readonly unknown[],
  rule: ListRule,
  mergeElement: MergeElement,
): unknown[] | undefined {
  if (original !== undefined && !Array.isArray(original)) throw refusals.notAList(original);
  if (patch !== undefined && !Array.isArray(patch)) throw refusals.notAList(patch);
  if (original === undefined && patch === undefined) return undefined;
  checkOrder(patch ?? [], order, rule.mergeKey);
  if (!original?.length && !patch?.length) throw unclassified('no elements in any of the given slices');
  return ordered(mergedForOrder(original, patch, rule, mergeElement), order, original ?? [], rule.mergeKey);
}

function mergedForOrder(
  original: readonly unknown[] | undefined,
  patch: readonly unknown[] | undefined,
  rule: ListRule,
  mergeElement: MergeElement,
): readonly unknown[] {
  if (patch === undefined) return original ?? [];
  if (original === undefined) return withoutDirectives(patch) as unknown[];
  return mergeList(original, patch, rule, mergeElement);
}

/** The patch's elements must stand in the order list, in its order. */
function checkOrder(patch: readonly unknown[], order: readonly unknown[], mergeKey: string | undefined): void {
  if (patch.length === 0 || order.length === 0) return;
  const wanted = order.map((element) => identity(element, mergeKey));
  let from = 0;
  for (const element of patch) {
    const directive = isMap(element) ? own(element, patchMarker) : undefined;
    if (directive === 'delete' || (directive !== undefined && from < wanted.length)) continue;
    const found = directive === undefined ? wanted.indexOf(identity(element, mergeKey), from) : -1;
    if (found < 0) throw wrongOrder(patch, order);
    from = found + 1;
  }
}

function wrongOrder(patch: readonly unknown[], order: readonly unknown[]): ApiError {
  return unclassified(
    `The order in patch list:\n${printValue(patch)}\n doesn't match $setElementOrder list:\n${printValue(order)}\n`,
  );
}
