import { isObject } from '@holdfast/base/json';
import type { KubeObject } from '../../objects.ts';
import { applyJsonPatch } from '../../patch/json-patch.ts';
import { jsonType, parseProblem } from '../json-problem.ts';

type Operations = readonly Readonly<Record<string, unknown>>[];

export type DecodedPatch =
  | { readonly ok: true; readonly operations: Operations }
  | { readonly ok: false; readonly reason: string };

export type Patched =
  | { readonly ok: true; readonly object: KubeObject }
  | { readonly ok: false; readonly reason: string };

/** Reads the bytes that a mutating webhook answered. */
export function decodePatch(bytes: Buffer): DecodedPatch {
  const text = bytes.toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value)) return undecodable(jsonType(value), 'jsonpatch.Patch');
    const odd: unknown = value.find((operation) => !isObject(operation));
    return odd === undefined ? { ok: true, operations: value } : undecodable(jsonType(odd), 'jsonpatch.Operation');
  } catch (error) {
    return { ok: false, reason: parseProblem(text, error) };
  }
}

function undecodable(type: string, wanted: string): DecodedPatch {
  return { ok: false, reason: `json: cannot unmarshal ${type} into Go value of type ${wanted}` };
}

/** The object with the patch applied, or the operation that stands in the way. */
export function applyPatchTo(object: KubeObject, operations: Operations): Patched {
  const result = applyJsonPatch(object, operations);
  if (result.ok) return { ok: true, object: result.value as KubeObject };
  const failing = firstFailing(object, operations);
  const before = applyJsonPatch(object, operations.slice(0, failing));
  return { ok: false, reason: describe(operations[failing] ?? {}, before.ok ? before.value : object) };
}

/** A patch that fails at one operation fails with everything after it as well, so halving finds the operation. */
function firstFailing(object: KubeObject, operations: Operations): number {
  let good = 0;
  let bad = operations.length;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (applyJsonPatch(object, operations.slice(0, middle)).ok) good = middle;
    else bad = middle;
  }
  return good;
}

function describe(operation: Readonly<Record<string, unknown>>, document: unknown): string {
  const op = String(operation['op'] ?? '');
  const path = String(operation['path'] ?? '');
  const from = String(operation['from'] ?? '');
  switch (op) {
    case 'add':
      return `add operation does not apply: doc is missing path: "${path}": missing value`;
    case 'remove':
      if (!hasParent(document, path)) {
        return `remove operation does not apply: doc is missing path: "${path}": missing value`;
      }
      return `error in remove for path: '${path}': Unable to remove nonexistent key: ${lastOf(path)}: missing value`;
    case 'replace':
      return `replace operation does not apply: doc is missing path: ${path}: missing value`;
    case 'move':
    case 'copy':
      return `${op} operation does not apply: doc is missing from path: ${from}: missing value`;
    case 'test':
      return `testing value ${path} failed: test failed`;
    default:
      return `Unexpected kind: ${op === '' ? 'unknown' : op}`;
  }
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function hasParent(document: unknown, path: string): boolean {
  const steps = path.split('/').slice(1, -1);
  let at = document;
  for (const step of steps) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return false;
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return typeof at === 'object' && at !== null;
}
