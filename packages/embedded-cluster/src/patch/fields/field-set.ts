/**
 * Sets of fields, in the form that managedFields has on the wire: a tree of path elements. A node without children is a member of the
 * set; a node with children is a member if it holds `.`. Trees are never changed, so they are shared freely, and a function that has
 * nothing to change returns the tree it got. The empty set is undefined.
 */

import { isMap, isWithinDepth } from '../json-tree.ts';
import { canonicalElement, compareElements, printElement } from './path-element.ts';

export interface FieldTree {
  readonly [element: string]: FieldTree;
}

export type FieldSet = FieldTree | undefined;

type Draft = Record<string, FieldTree>;

/** A field that is in the set, with nothing below. */
export const leaf: FieldTree = Object.freeze({});

export const self = '.';

export function isMember(node: FieldTree): boolean {
  if (self in node) return true;
  for (const _ in node) return false;
  return true;
}

/** Builds a node; undefined if it would be neither a member nor have children. */
export function node(member: boolean, children: Draft | undefined): FieldSet {
  if (children === undefined) return member ? leaf : undefined;
  if (!member) return children;
  return Object.assign({ [self]: leaf }, children);
}

/** The elements in the order that the API server writes them. */
export function sorted(children: FieldTree): FieldTree {
  const elements = Object.keys(children);
  if (isSorted(elements)) return children;
  const result: Draft = {};
  for (const element of elements.sort(compareElements)) result[element] = children[element] as FieldTree;
  return result;
}

function sortedThroughout(tree: FieldTree): FieldTree {
  let changed: Draft | undefined;
  for (const element in tree) {
    const child = tree[element] as FieldTree;
    const result = sortedThroughout(child);
    if (result === child) continue;
    changed ??= { ...tree };
    changed[element] = result;
  }
  return sorted(changed ?? tree);
}

function isSorted(elements: readonly string[]): boolean {
  for (let index = 1; index < elements.length; index += 1) {
    if (compareElements(elements[index - 1] as string, elements[index] as string) > 0) return false;
  }
  return true;
}

/** The left set is in order, and so is the result; the right set need not be. */
export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right || right === undefined) return left;
  if (left === undefined) return sortedThroughout(right);
  let changed: Draft | undefined;
  for (const element in right) {
    if (element === self) continue;
    const old = left[element];
    const merged = union(old, right[element]) as FieldTree;
    if (merged === old) continue;
    changed ??= { ...left };
    changed[element] = merged;
  }
  const member = isMember(left) || isMember(right);
  if (changed === undefined) return member && !isMember(left) ? node(true, { ...left }) : left;
  if (member) changed[self] = leaf;
  return sorted(changed);
}

export function difference(left: FieldSet, right: FieldSet): FieldSet {
  if (left === undefined || right === undefined) return left;
  let kept: Draft | undefined;
  for (const element in right) {
    const child = left[element];
    if (element === self || child === undefined) continue;
    const rest = difference(child, right[element]);
    if (rest === child) continue;
    kept ??= { ...left };
    if (rest === undefined) delete kept[element];
    else kept[element] = rest;
  }
  const member = isMember(left);
  const stays = member && !isMember(right);
  if (kept === undefined && stays === member) return left;
  return node(stays, childrenOf(kept ?? left));
}

/** Undefined: none. */
function childrenOf(tree: FieldTree): Draft | undefined {
  let children: Draft | undefined;
  for (const element in tree) {
    if (element === self) continue;
    children ??= {};
    children[element] = tree[element] as FieldTree;
  }
  return children;
}

/** Like difference, and what lies below a member of the right set goes too. */
export function differenceBelow(left: FieldSet, right: FieldSet): FieldSet {
  if (left === undefined || right === undefined) return left;
  let kept: Draft | undefined;
  for (const element in right) {
    const child = left[element];
    const limit = right[element];
    if (element === self || child === undefined || limit === undefined) continue;
    const rest = isMember(limit) ? undefined : differenceBelow(child, limit);
    if (rest === child) continue;
    kept ??= { ...left };
    if (rest === undefined) delete kept[element];
    else kept[element] = rest;
  }
  return kept === undefined ? left : node(self in left, childrenOf(kept));
}

export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  if (left === undefined || right === undefined) return undefined;
  let children: Draft | undefined;
  for (const element in left) {
    if (element === self) continue;
    const common = intersection(left[element], right[element]);
    if (common === undefined) continue;
    children ??= {};
    children[element] = common;
  }
  return node(isMember(left) && isMember(right), children);
}

export function sameSet(left: FieldSet, right: FieldSet): boolean {
  if (left === right) return true;
  if (left === undefined || right === undefined || isMember(left) !== isMember(right)) return false;
  for (const element in left) {
    if (element !== self && !sameSet(left[element], right[element])) return false;
  }
  for (const element in right) {
    if (element !== self && left[element] === undefined) return false;
  }
  return true;
}

/** The members as messages show them, those nearest to the root first. */
export function printMembers(set: FieldSet, prefix = ''): string[] {
  if (set === undefined) return [];
  const elements = Object.keys(set).filter((element) => element !== self);
  const here = elements.filter((element) => isMember(set[element] as FieldTree));
  return here
    .map((element) => prefix + printElement(element))
    .concat(elements.flatMap((element) => printMembers(set[element], prefix + printElement(element))));
}

export type DecodedFields = { readonly ok: true; readonly set: FieldSet } | { readonly ok: false };

/** Reads FieldsV1 that a client wrote. */
export function decodeFields(fields: unknown): DecodedFields {
  if (fields === undefined || fields === null) return { ok: true, set: undefined };
  if (!isMap(fields) || !isWithinDepth(fields)) return { ok: false };
  const children = decodeChildren(fields);
  return children === 'malformed' ? { ok: false } : { ok: true, set: children };
}

function decodeChildren(fields: Record<string, unknown>): FieldSet | 'malformed' {
  let children: Draft | undefined;
  for (const key of Object.keys(fields)) {
    if (key === self) continue;
    const element = canonicalElement(key);
    if (element.kind === 'unknown') continue;
    const below = fields[key];
    if (element.kind === 'malformed' || !isMap(below)) return 'malformed';
    const grandchildren = decodeChildren(below);
    if (grandchildren === 'malformed') return 'malformed';
    children ??= {};
    children[element.element] = node(self in below || grandchildren === undefined, grandchildren) as FieldTree;
  }
  return children === undefined ? undefined : sorted(children);
}
