/** RFC 6902, with the liberties that the API server takes: negative indexes, and replacing a key that is not there. */

import { ApiError, badRequest } from '../errors.ts';
import { jsonKind } from './go-format.ts';
import { copyJson, equalJsonToDepth, isMap, isUnsafeKey, isWithinDepth, type JsonMap, own } from './json-tree.ts';
import { attempt, doesNotApply, type PatchResult } from './patch-result.ts';

export const maxOperations = 10_000;

/** All `copy` operations of a patch together may copy as much JSON as a request may hold. */
const maxCopiedCharacters = 3 * 1024 * 1024;

interface Operation {
  readonly op: string;
  readonly path: string | undefined;
  readonly from: string | undefined;
  readonly value: unknown;
}

/** What a patch works on: the document may be replaced as a whole. */
interface Work {
  root: unknown;
  copied: number;
}

export function applyJsonPatch(document: JsonMap, operations: unknown): PatchResult<JsonMap> {
  return attempt(() => {
    const work: Work = { root: copyJson(document), copied: 0 };
    for (const operation of decodeOperations(operations)) perform(work, operation);
    if (!isMap(work.root) || !isWithinDepth(work.root)) throw doesNotApply();
    return work.root;
  });
}

function decodeOperations(operations: unknown): readonly Operation[] {
  if (operations === null) return [];
  if (!Array.isArray(operations)) {
    throw undecodable(`${jsonKind(operations)} into Go value of type []handlers.jsonPatchOp`);
  }
  if (operations.length > maxOperations) throw tooManyOperations(operations.length);
  return operations.map(decodeOperation);
}

function undecodable(what: string): ApiError {
  return badRequest(`error decoding patch: json: cannot unmarshal ${what}`);
}

function tooManyOperations(count: number): ApiError {
  return new ApiError({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: The allowed maximum operations in a JSON patch is ${maxOperations}, got ${count}`,
  });
}

function decodeOperation(operation: unknown): Operation {
  if (!isMap(operation)) throw undecodable(`${jsonKind(operation)} into Go value of type handlers.jsonPatchOp`);
  return {
    op: stringField(operation, 'op') ?? '',
    path: stringField(operation, 'path'),
    from: stringField(operation, 'from'),
    value: own(operation, 'value'),
  };
}

function stringField(operation: JsonMap, field: string): string | undefined {
  const value = own(operation, field) ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw undecodable(`${jsonKind(value)} into Go struct field jsonPatchOp.${field} of type string`);
}

const performers: ReadonlyMap<string, (work: Work, operation: Operation) => void> = new Map([
  ['add', (work: Work, { path, value }: Operation) => add(work, path, copyOf(value))],
  ['remove', (work: Work, { path }: Operation) => remove(work, path)],
  ['replace', (work: Work, { path, value }: Operation) => replace(work, path, copyOf(value))],
  ['move', move],
  ['copy', copy],
  ['test', test],
]);

function perform(work: Work, operation: Operation): void {
  const performer = performers.get(operation.op);
  if (performer === undefined) throw doesNotApply();
  performer(work, operation);
}

/** An operation without a value has the value null. */
function copyOf(value: unknown): unknown {
  if (!isWithinDepth(value)) throw doesNotApply();
  return copyJson(value ?? null);
}

interface Target {
  readonly container: JsonMap | unknown[];
  readonly key: string;
}

function findTarget(work: Work, pointer: string | undefined): Target {
  const tokens = pointer === undefined ? [] : pointer.split('/').slice(1).map(decodeToken);
  const key = tokens.pop();
  if (key === undefined) throw doesNotApply();
  let container: unknown = work.root;
  for (const token of tokens) container = isContainer(container) ? read(container, token) : undefined;
  if (!isContainer(container)) throw doesNotApply();
  return { container, key };
}

function decodeToken(token: string): string {
  if (isUnsafeKey(token)) throw doesNotApply();
  return token.includes('~') ? token.replace(/~[01]/g, (code) => (code === '~1' ? '/' : '~')) : token;
}

function isContainer(value: unknown): value is JsonMap | unknown[] {
  return typeof value === 'object' && value !== null;
}

/** A map's missing key reads as undefined; a list's index must exist. */
function read(container: JsonMap | unknown[], key: string): unknown {
  return Array.isArray(container) ? container[indexIn(container, key, container.length - 1)] : own(container, key);
}

/** Negative indexes count from the end. */
function indexIn(list: readonly unknown[], key: string, last: number): number {
  if (!/^[+-]?\d{1,9}$/.test(key)) throw doesNotApply();
  const number = Number(key);
  const index = number < 0 ? number + last + 1 : number;
  if (index < 0 || index > last || last > list.length) throw doesNotApply();
  return index;
}

function add(work: Work, pointer: string | undefined, value: unknown): void {
  const { container, key } = findTarget(work, pointer);
  if (!Array.isArray(container)) container[key] = value;
  else if (key === '-') container.push(value);
  else container.splice(indexIn(container, key, container.length), 0, value);
}

function remove(work: Work, pointer: string | undefined): void {
  const { container, key } = findTarget(work, pointer);
  if (Array.isArray(container)) container.splice(indexIn(container, key, container.length - 1), 1);
  else if (Object.hasOwn(container, key)) delete container[key];
  else throw doesNotApply();
}

function replace(work: Work, pointer: string | undefined, value: unknown): void {
  if (pointer === '') {
    if (!isContainer(value)) throw doesNotApply();
    work.root = value;
    return;
  }
  const { container, key } = findTarget(work, pointer);
  if (Array.isArray(container)) container[indexIn(container, key, container.length - 1)] = value;
  else container[key] = value;
}

function move(work: Work, operation: Operation): void {
  const { container, key } = findTarget(work, operation.from);
  const value = read(container, key);
  remove(work, operation.from);
  add(work, operation.path, value);
}

function copy(work: Work, operation: Operation): void {
  const { container, key } = findTarget(work, operation.from);
  const value = copyOf(read(container, key));
  work.copied += JSON.stringify(value).length;
  if (work.copied > maxCopiedCharacters) throw doesNotApply();
  add(work, operation.path, value);
}

function test(work: Work, operation: Operation): void {
  if (!equalJsonToDepth(tested(work, operation.path) ?? null, operation.value ?? null)) throw doesNotApply();
}

function tested(work: Work, pointer: string | undefined): unknown {
  if (pointer === '') return work.root;
  const { container, key } = findTarget(work, pointer);
  return read(container, key);
}
