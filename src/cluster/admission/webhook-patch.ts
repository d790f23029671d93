import { isObject } from '../../api/json.ts';
import type { KubeObject } from '../objects.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';

type Operations = readonly Readonly<Record<string, unknown>>[];

export type Decoded =
  | { readonly ok: true; readonly operations: Operations }
  | { readonly ok: false; readonly reason: string };

export type Patched =
  | { readonly ok: true; readonly object: KubeObject }
  | { readonly ok: false; readonly reason: string };

/** Reads the bytes that a mutating webhook answered. */
export function decodePatch(bytes: Buffer): Decoded {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (Array.isArray(value) && value.every(isObject)) return { ok: true, operations: value };
    return { ok: false, reason: 'json: cannot unmarshal the patch into Go value of type jsonpatch.Patch' };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** The object with the patch applied, or the operation that stands in the way. */
export function applyPatchTo(object: KubeObject, operations: Operations): Patched {
  const result = applyJsonPatch(object, operations);
  if (result.ok) return { ok: true, object: result.value as KubeObject };
  return { ok: false, reason: describe(firstFailing(object, operations)) };
}

/** A patch that fails at one operation fails with everything after it as well, so halving finds the operation. */
function firstFailing(object: KubeObject, operations: Operations): Readonly<Record<string, unknown>> {
  let good = 0;
  let bad = operations.length;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (applyJsonPatch(object, operations.slice(0, middle)).ok) good = middle;
    else bad = middle;
  }
  return operations[good] ?? {};
}

function describe(operation: Readonly<Record<string, unknown>>): string {
  const op = String(operation['op'] ?? '');
  const path = String(operation['path'] ?? '');
  switch (op) {
    case 'add':
    case 'remove':
      return `${op} operation does not apply: doc is missing path: "${path}": missing value`;
    case 'replace':
      return `replace operation does not apply: doc is missing path: ${path}: missing value`;
    case 'move':
    case 'copy':
      return `${op} operation does not apply: doc is missing from path: ${String(operation['from'] ?? '')}: missing value`;
    case 'test':
      return `testing value ${path} failed: test failed`;
    default:
      return `Unexpected kind: ${op === '' ? 'unknown' : op}`;
  }
}
