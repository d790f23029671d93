import type { ManagedFieldsEntry } from 'kubernetes-types/meta/v1.js';
import type { JsonObject, KubeObject } from '../objects.ts';
import type { FieldTree } from '../patch/fields/field-set.ts';
import { internFields } from '../patch/fields/intern-fields.ts';

/** An object about to be stored, with everything that is kept already in place of its equal: versions then cost their difference. */
export function sharedWith(next: KubeObject, old: KubeObject): KubeObject {
  return sharing(withInternedFields(next), old) as KubeObject;
}

/** What the object says of its fields is said of many others. */
export function withInternedFields(object: KubeObject): KubeObject {
  const { managedFields } = object.metadata;
  if (managedFields === undefined) return object;
  const interned = managedFields.map(internEntry);
  if (interned.every((entry, index) => entry === managedFields[index])) return object;
  return { ...object, metadata: { ...object.metadata, managedFields: interned } };
}

function internEntry(entry: ManagedFieldsEntry): ManagedFieldsEntry {
  const fields = entry.fieldsV1 as FieldTree | undefined;
  if (fields === undefined) return entry;
  const kept = internFields(fields);
  return kept === fields ? entry : { ...entry, fieldsV1: kept };
}

/** `next`, with every part that equals the same part of `old` replaced by that; nothing is changed in place. */
function sharing(next: unknown, old: unknown): unknown {
  if (next === old || typeof next !== 'object' || typeof old !== 'object' || next === null || old === null) return next;
  if (Array.isArray(next)) return Array.isArray(old) ? sharingList(next, old) : next;
  return Array.isArray(old) ? next : sharingMap(next as JsonObject, old as JsonObject);
}

function sharingList(next: readonly unknown[], old: readonly unknown[]): readonly unknown[] {
  let result: unknown[] | undefined;
  let same = next.length === old.length;
  for (let index = 0; index < next.length; index += 1) {
    const part = sharing(next[index], old[index]);
    if (part !== old[index]) same = false;
    if (part === next[index]) continue;
    result ??= [...next];
    result[index] = part;
  }
  return same ? old : (result ?? next);
}

function sharingMap(next: JsonObject, old: JsonObject): JsonObject {
  const keys = Object.keys(next);
  let result: JsonObject | undefined;
  let same = keys.length === Object.keys(old).length;
  for (const key of keys) {
    const before = Object.hasOwn(old, key) ? old[key] : undefined;
    const part = sharing(next[key], before);
    if (part !== before) same = false;
    if (part === next[key]) continue;
    result ??= { ...next };
    result[key] = part;
  }
  return same ? old : (result ?? next);
}
