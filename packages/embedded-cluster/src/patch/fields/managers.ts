/** managedFields as a table of managers: reading, ordering and bounding it. */

import type { ManagedFieldsEntry } from 'kubernetes-types/meta/v1.js';
import { equalJsonToDepth, isMap } from '../json-tree.ts';
import { decodeFields, type FieldSet, union } from './field-set.ts';

export type ManagerOperation = 'Apply' | 'Update';

export interface Manager {
  readonly manager: string;
  readonly operation: ManagerOperation;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

export type Managers = readonly Manager[];

/** An applier is the same whatever version it speaks; an updater is another manager in each version. */
export function isSameManager(left: Manager, right: Omit<Manager, 'fields' | 'time'>): boolean {
  return (
    left.manager === right.manager &&
    left.operation === right.operation &&
    left.subresource === right.subresource &&
    (left.operation === 'Apply' || left.apiVersion === right.apiVersion)
  );
}

/** What the object's stored managedFields say. They have been read before, so they are as they should be. */
export function storedManagers(entries: readonly ManagedFieldsEntry[] | undefined): Managers {
  return (entries ?? []).map((entry) => ({
    manager: entry.manager ?? '',
    operation: entry.operation === 'Apply' ? 'Apply' : 'Update',
    apiVersion: entry.apiVersion ?? '',
    subresource: entry.subresource ?? '',
    time: entry.time,
    fields: nonEmpty(entry.fieldsV1 as FieldSet),
  }));
}

function nonEmpty(fields: FieldSet): FieldSet {
  for (const _ in fields) return fields;
  return undefined;
}

/** More than any object gets by itself: updaters are bounded, and few appliers share an object. */
const maxEntries = 200;

/** What a client's managedFields say; undefined if they cannot be read. Entries that are stored already are not read again. */
export function clientManagers(
  entries: unknown,
  stored: readonly ManagedFieldsEntry[] | undefined,
): Managers | undefined {
  if (!Array.isArray(entries) || entries.length > maxEntries) return undefined;
  const managers: Manager[] = [];
  const known = storedManagers(stored);
  for (const [index, entry] of entries.entries()) {
    const before = known[index];
    const same = before !== undefined && equalJsonToDepth(entry, stored?.[index]);
    const manager = same ? before : decodeEntry(entry);
    if (manager === undefined) return undefined;
    const double = managers.findIndex((other) => isSameManager(other, manager));
    if (double >= 0) managers.splice(double, 1);
    managers.push(manager);
  }
  return managers;
}

function decodeEntry(entry: unknown): Manager | undefined {
  if (!isMap(entry) || entry['fieldsType'] !== 'FieldsV1') return undefined;
  const { operation, apiVersion } = entry;
  if ((operation !== 'Apply' && operation !== 'Update') || typeof apiVersion !== 'string' || apiVersion === '') {
    return undefined;
  }
  const fields = decodeFields(entry['fieldsV1']);
  if (!fields.ok) return undefined;
  return {
    manager: text(entry['manager']) ?? '',
    operation,
    apiVersion,
    subresource: text(entry['subresource']) ?? '',
    time: text(entry['time']),
    fields: fields.set,
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Undefined: no manager has any field. */
export function encodeManagers(managers: Managers): ManagedFieldsEntry[] | undefined {
  if (managers.length === 0) return undefined;
  return [...managers].sort(compareManagers).map((manager) => ({
    ...(manager.manager === '' ? {} : { manager: manager.manager }),
    operation: manager.operation,
    apiVersion: manager.apiVersion,
    ...(manager.time === undefined ? {} : { time: manager.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: manager.fields ?? {},
    ...(manager.subresource === '' ? {} : { subresource: manager.subresource }),
  }));
}

function compareManagers(left: Manager, right: Manager): number {
  return (
    compareText(left.operation, right.operation) ||
    secondsOf(left.time) - secondsOf(right.time) ||
    compareText(left.manager, right.manager) ||
    compareText(left.apiVersion, right.apiVersion) ||
    compareText(left.subresource, right.subresource)
  );
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function secondsOf(time: string | undefined): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);
}

/** So many updaters are told apart; the oldest ones beyond that share an entry for each version. */
const maxUpdaters = 10;
const oldUpdaters = 'ancient-changes';

export function capUpdaters(managers: Managers): Managers {
  const updaters = managers.filter((manager) => manager.operation === 'Update');
  if (updaters.length <= maxUpdaters) return managers;
  const oldestFirst = updaters.sort(compareAge);
  const buckets = new Map<string, Manager>();
  const absorbed = new Set<Manager>();
  let count = oldestFirst.length;
  for (const updater of oldestFirst) {
    if (count <= maxUpdaters) break;
    const bucket = buckets.get(updater.apiVersion);
    buckets.set(updater.apiVersion, bucket === undefined ? updater : absorb(bucket, updater));
    absorbed.add(updater);
    if (bucket !== undefined) count -= 1;
  }
  return [...managers.filter((manager) => !absorbed.has(manager)), ...buckets.values()];
}

/** Entries that are shared already come first, so that there is never a second one. */
function compareAge(left: Manager, right: Manager): number {
  return (
    Number(right.manager === oldUpdaters) - Number(left.manager === oldUpdaters) ||
    secondsOf(left.time) - secondsOf(right.time) ||
    compareText(left.manager, right.manager) ||
    compareText(left.apiVersion, right.apiVersion)
  );
}

/** The bucket takes the time of what it absorbed last, which is the newest. */
function absorb(bucket: Manager, updater: Manager): Manager {
  const fields = union(bucket.fields, updater.fields);
  return { ...updater, manager: oldUpdaters, subresource: '', fields };
}
