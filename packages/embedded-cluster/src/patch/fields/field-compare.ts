/** Which fields differ between two states of an object. */

import type { Schema } from '../../kinds/schema.ts';
import { equalJsonToDepth, isMap, type JsonMap, own } from '../json-tree.ts';
import { fieldSchema } from '../strategic/strategic-schema.ts';
import { type FieldSet, type FieldTree, leaf, node, union } from './field-set.ts';
import { type AssociativeList, indexItems, rootSchema, typeOf, type ValueType } from './field-types.ts';
import { fieldElement } from './path-element.ts';

/** The sets are unordered: they are here to be combined with those of managers. */
export interface Comparison {
  /** What is new, or has another value. */
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

const same: Comparison = { changed: undefined, removed: undefined };
const leafChanged: Comparison = { changed: leaf, removed: undefined };
const leafRemoved: Comparison = { changed: undefined, removed: leaf };

/** Whether the value itself came or went, so that it belongs to the set as well as what lies below. */
type Whole = 'added' | 'removed' | undefined;

/** Collects what the children of one value differ in. Trees are only made where something does. */
class Differences {
  #changed: Record<string, FieldTree> | undefined;
  #removed: Record<string, FieldTree> | undefined;

  include(element: string, { changed, removed }: Comparison): void {
    if (changed !== undefined) {
      this.#changed ??= {};
      this.#changed[element] = changed;
    }
    if (removed !== undefined) {
      this.#removed ??= {};
      this.#removed[element] = removed;
    }
  }

  result(whole: Whole): Comparison {
    if (this.#changed === undefined && this.#removed === undefined) {
      return whole === 'added' ? leafChanged : whole === 'removed' ? leafRemoved : same;
    }
    return { changed: node(whole === 'added', this.#changed), removed: node(whole === 'removed', this.#removed) };
  }
}

/** Compares objects as a whole; managedFields are not part of what they say. */
export function compareObjects(old: JsonMap | undefined, next: JsonMap, schema: Schema | undefined): Comparison {
  const root = rootSchema(schema);
  const differences = new Differences();
  for (const key of keysOfBoth(old ?? {}, next)) {
    const before = old === undefined ? undefined : own(old, key);
    const after = own(next, key);
    const field = fieldSchema(root, key);
    const difference = key === 'metadata' ? compareMetadata(before, after, field) : compareValues(before, after, field);
    if (difference !== same) differences.include(fieldElement(key), difference);
  }
  return differences.result(undefined);
}

function compareMetadata(old: unknown, next: unknown, schema: Schema | undefined): Comparison {
  const [before, after] = [isMap(old) ? old : undefined, isMap(next) ? next : undefined];
  return compareMaps(before, after, schema, 'managedFields', wholeOf(before, after));
}

/** Undefined: not there. Null is a value. */
function compareValues(old: unknown, next: unknown, schema: Schema | undefined): Comparison {
  if (old === next) return same;
  const type = typeOf(schema, next === undefined ? old : next);
  if (type.kind === 'scalar' || type.kind === 'atomic' || (isEmpty(old) && isEmpty(next)))
    return compareLeaf(old, next);
  if (old === undefined || next === undefined) return compareDivided(old, next, type);
  const oldType = typeOf(schema, old);
  return oldType.kind === type.kind ? compareDivided(old, next, type) : compareKinds(old, next, oldType, type);
}

/** A value that became one of another kind: it was changed, and what the new one consists of came. */
function compareKinds(old: unknown, next: unknown, oldType: ValueType, type: ValueType): Comparison {
  const gone = isLeaf(oldType) ? same : compareDivided(old, null, oldType);
  const come = isLeaf(type) ? same : compareDivided(null, next, type);
  return { changed: union(come.changed, leaf), removed: gone.removed };
}

function isLeaf(type: ValueType): boolean {
  return type.kind === 'scalar' || type.kind === 'atomic';
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value !== 'object') return false;
  for (const _ in value) return false;
  return true;
}

function compareLeaf(old: unknown, next: unknown): Comparison {
  if (old === undefined) return leafChanged;
  if (next === undefined) return leafRemoved;
  return equalJsonToDepth(old, next) ? same : leafChanged;
}

function compareDivided(old: unknown, next: unknown, type: ValueType): Comparison {
  if (type.kind === 'map') {
    const whole = wholeOf(old, next);
    return compareMaps(isMap(old) ? old : undefined, isMap(next) ? next : undefined, type.schema, undefined, whole);
  }
  return type.kind === 'list' ? compareLists(old, next, type.list) : compareLeaf(old, next);
}

function wholeOf(old: unknown, next: unknown): Whole {
  if (old === undefined) return 'added';
  return next === undefined ? 'removed' : undefined;
}

function compareMaps(
  old: JsonMap | undefined,
  next: JsonMap | undefined,
  schema: Schema | undefined,
  except: string | undefined,
  whole: Whole,
): Comparison {
  const differences = new Differences();
  for (const key of keysOfBoth(old ?? {}, next ?? {})) {
    if (key === except) continue;
    const before = old === undefined ? undefined : own(old, key);
    const after = next === undefined ? undefined : own(next, key);
    if (before === after) continue;
    const difference = compareValues(before, after, fieldSchema(schema, key));
    if (difference !== same) differences.include(fieldElement(key), difference);
  }
  return differences.result(whole);
}

function keysOfBoth(old: JsonMap, next: JsonMap): readonly string[] {
  const keys = Object.keys(next);
  for (const key in old) {
    if (Object.hasOwn(old, key) && !Object.hasOwn(next, key)) keys.push(key);
  }
  return keys;
}

function compareLists(old: unknown, next: unknown, list: AssociativeList): Comparison {
  if (old !== undefined && next !== undefined && equalJsonToDepth(old, next)) return same;
  const before = indexItems(list, Array.isArray(old) ? old : []);
  const after = indexItems(list, Array.isArray(next) ? next : []);
  if (before === undefined || after === undefined) return compareLeaf(old, next);
  const differences = new Differences();
  for (const element of new Set([...before.keys(), ...after.keys()])) {
    const difference = compareItems(before.get(element) ?? [], after.get(element) ?? [], list.item);
    if (difference !== same) differences.include(element, difference);
  }
  return differences.result(wholeOf(old, next));
}

/** Items with the same key are one field together, whatever they hold. */
function compareItems(old: readonly unknown[], next: readonly unknown[], schema: Schema | undefined): Comparison {
  if (old.length <= 1 && next.length <= 1) return compareValues(old[0], next[0], schema);
  if (old.length > 1 && next.length > 1) return equalJsonToDepth(old, next) ? same : leafChanged;
  if (old.length > 1) return { ...compareSingle(undefined, next[0], schema), removed: leaf };
  return { ...compareSingle(old[0], undefined, schema), changed: leaf };
}

function compareSingle(old: unknown, next: unknown, schema: Schema | undefined): Comparison {
  return old === undefined && next === undefined ? same : compareValues(old, next, schema);
}
