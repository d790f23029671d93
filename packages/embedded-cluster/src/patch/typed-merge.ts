/** Merging an applied configuration into an object, field by field as the schema divides it. */

import type { Schema } from '../kinds/schema.ts';
import { type FieldSet, type FieldTree, isMember } from './fields/field-set.ts';
import { type AssociativeList, elementOf, indexItems, rootSchema, typeOf } from './fields/field-types.ts';
import { fieldElement } from './fields/path-element.ts';
import { copyJson, isMap, isUnsafeKey, type JsonMap, own, shallowCopy } from './json-tree.ts';
import { fieldSchema } from './strategic/strategic-schema.ts';

export function mergeConfiguration(live: JsonMap, applied: JsonMap, schema: Schema | undefined): JsonMap {
  return mergeMaps(live, applied, rootSchema(schema));
}

function mergeMaps(live: JsonMap, applied: JsonMap, schema: Schema | undefined): JsonMap {
  const result = shallowCopy(live);
  for (const key of Object.keys(applied)) {
    if (isUnsafeKey(key)) continue;
    const field = fieldSchema(schema, key);
    const merged = mergeValues(own(live, key), applied[key], field);
    // Only where the schema allows it does null say more than that there is no value.
    if (merged === null && field?.nullable !== true) delete result[key];
    else result[key] = merged;
  }
  return result;
}

function mergeValues(live: unknown, applied: unknown, schema: Schema | undefined): unknown {
  const type = typeOf(schema, applied);
  if (type.kind === 'map' && isMap(live)) return mergeMaps(live, isMap(applied) ? applied : {}, type.schema);
  if (type.kind === 'map' && isMap(applied)) return mergeMaps({}, applied, type.schema);
  if (type.kind === 'list' && Array.isArray(live)) {
    return mergeLists(live, Array.isArray(applied) ? applied : [], type.list);
  }
  return copyJson(applied);
}

function mergeLists(live: readonly unknown[], applied: readonly unknown[], list: AssociativeList): unknown {
  const liveItems = indexItems(list, live);
  const appliedItems = indexItems(list, applied);
  if (liveItems === undefined || appliedItems === undefined) return copyJson(applied);
  const elements = live.map((item) => elementText(list, item));
  return mergeOrder(elements, [...appliedItems.keys()]).map((place) => {
    if (place.kind === 'live') return live[place.index];
    const [current, ...others] = liveItems.get(place.element) ?? [];
    const item = appliedItems.get(place.element)?.[0];
    return current === undefined || others.length > 0 ? copyJson(item) : mergeValues(current, item, list.item);
  });
}

function elementText(list: AssociativeList, item: unknown): string {
  const element = elementOf(list, item);
  return element.ok ? element.element : '';
}

type Place = { readonly kind: 'live'; readonly index: number } | { readonly kind: 'applied'; readonly element: string };

/**
 * The configuration's items keep its order, the other items theirs. Where the two meet, an item that only the live list has comes
 * before the configuration's items that follow it there.
 */
function mergeOrder(live: readonly string[], applied: readonly string[]): Place[] {
  const inLive = new Set(live);
  const inApplied = new Set(applied);
  const shared = applied.filter((element) => inLive.has(element));
  const placed = new Set<string>();
  const result: Place[] = [];
  let [at, next, nextShared] = [0, 0, 0];
  const place = (element: string) => {
    result.push({ kind: 'applied', element });
    placed.add(element);
    next += 1;
    if (shared[nextShared] === element) nextShared += 1;
  };
  while (at < live.length || next < applied.length) {
    const current = live[at];
    const wanted = applied[next];
    if (current !== undefined && current === wanted) {
      place(current);
      at += 1;
    } else if (current !== undefined && !inApplied.has(current)) {
      result.push({ kind: 'live', index: at });
      at += 1;
    } else if (current !== undefined && isOutOfTurn(current, wanted, shared[nextShared])) {
      at += 1;
    } else {
      if (current !== undefined && placed.has(current)) at += 1;
      if (wanted !== undefined) place(wanted);
    }
  }
  return result;
}

/** An item that both lists have, while the configuration has another shared item first. */
function isOutOfTurn(current: string, wanted: string | undefined, shared: string | undefined): boolean {
  return wanted !== undefined && shared !== undefined && shared !== current;
}

/** What becomes of maps and lists all of whose fields go: they go too, or they stay as null so that they still count as set. */
export type Emptied = undefined | null;

/** The object without the fields of the set. */
export function removeFields(object: JsonMap, set: FieldSet, schema: Schema | undefined, emptied: Emptied): JsonMap {
  return set === undefined ? object : (removeFromMap(object, set, rootSchema(schema), emptied) ?? {});
}

function removeFromMap(
  map: JsonMap,
  set: FieldTree,
  schema: Schema | undefined,
  emptied: Emptied,
): JsonMap | undefined | null {
  const result: JsonMap = {};
  let kept = 0;
  for (const key of Object.keys(map)) {
    const node = set[fieldElement(key)];
    if (node !== undefined && isMember(node)) continue;
    kept += 1;
    const rest = removeFrom(map[key], node, fieldSchema(schema, key), emptied);
    if (rest !== undefined) result[key] = rest;
  }
  return kept === 0 ? emptied : result;
}

function removeFrom(
  value: unknown,
  node: FieldTree | undefined,
  schema: Schema | undefined,
  emptied: Emptied,
): unknown {
  if (node === undefined) return value;
  const type = typeOf(schema, value);
  if (type.kind === 'map' && isMap(value)) return removeFromMap(value, node, type.schema, emptied);
  if (type.kind === 'list' && Array.isArray(value)) return removeFromList(value, node, type.list, emptied);
  return type.kind === 'scalar' ? value : emptied;
}

function removeFromList(
  items: readonly unknown[],
  set: FieldTree,
  list: AssociativeList,
  emptied: Emptied,
): unknown[] | Emptied {
  const rest: unknown[] = [];
  for (const item of items) {
    const node = set[elementText(list, item)];
    if (node === undefined || !isMember(node)) rest.push(removeFrom(item, node, list.item, emptied) ?? {});
  }
  return rest.length === 0 ? emptied : rest;
}
