/** Who manages which field, as far as creations, updates and patches decide it. */

import type { ManagedFieldsEntry } from 'kubernetes-types/meta/v1.js';
import type { Schema } from '../../kinds/schema.ts';
import type { KubeObject } from '../../objects.ts';
import { isMap, type JsonMap } from '../json-tree.ts';
import { type Comparison, compareObjects } from './field-compare.ts';
import { difference, differenceBelow, type FieldSet, type FieldTree, leaf, union } from './field-set.ts';
import {
  capUpdaters,
  clientManagers,
  encodeManagers,
  isSameManager,
  type Manager,
  type Managers,
  storedManagers,
} from './managers.ts';

export interface UpdateToTrack {
  /** Undefined: the object is being created. */
  readonly live: KubeObject | undefined;
  /** With the managedFields that the client sent, if it sent any. */
  readonly next: KubeObject;
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
  /** RFC 3339, in whole seconds. */
  readonly time: string;
  readonly schema: Schema | undefined;
  /** What a new object is compared with; left out: nothing at all. */
  readonly empty?: JsonMap | undefined;
  /** Paths that this request cannot change, whatever it says: `status` in requests to the main resource, for example. */
  readonly resetFields?: readonly (readonly string[])[] | undefined;
}

const unnamed = 'unknown';

/** The managedFields of the object to be stored; undefined: it has none. */
export function trackUpdate(update: UpdateToTrack): ManagedFieldsEntry[] | undefined {
  const { live } = update;
  const before = managersBefore(update);
  // A client that resets managedFields gets an object without managers, until the next apply.
  if (before.length === 0 && live !== undefined) return undefined;
  const comparison = withoutFields(
    compareObjects(live ?? update.empty, update.next, update.schema),
    update.resetFields,
  );
  const after = managersAfterUpdate(before, comparison, update);
  const stored = live?.metadata.managedFields;
  return after === before && stored !== undefined && before.length === stored.length && isStored(update)
    ? stored
    : encodeManagers(after);
}

function isStored({ live, next, subresource }: UpdateToTrack): boolean {
  return Boolean(subresource) || next.metadata.managedFields === live?.metadata.managedFields;
}

function managersBefore({ live, next, subresource }: UpdateToTrack): Managers {
  const stored = live?.metadata.managedFields;
  const sent: unknown = next.metadata.managedFields;
  if (subresource || sent === stored) return storedManagers(stored);
  if (isReset(sent)) return [];
  const managers = clientManagers(sent, stored);
  return managers === undefined || managers.length === 0 ? storedManagers(stored) : managers;
}

function isReset(sent: unknown): boolean {
  if (!Array.isArray(sent)) return false;
  return sent.length === 0 || (sent.length === 1 && isMap(sent[0]) && Object.keys(sent[0]).length === 0);
}

/** The paths as a set. */
export function setOfPaths(paths: readonly (readonly string[])[]): FieldSet {
  let set: FieldSet;
  for (const path of paths) {
    set = union(
      set,
      path.reduceRight<FieldTree>((below, name) => ({ [`f:${name}`]: below }), leaf),
    );
  }
  return set;
}

export function withoutFields(comparison: Comparison, paths: readonly (readonly string[])[] | undefined): Comparison {
  if (paths === undefined || paths.length === 0) return comparison;
  const reset = setOfPaths(paths);
  return {
    changed: differenceBelow(comparison.changed, reset),
    removed: differenceBelow(comparison.removed, reset),
  };
}

/** No manager owns what identifies an object or what the server alone sets. */
const neverManaged = setOfPaths([
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ['metadata', 'name'],
  ['metadata', 'namespace'],
  ['metadata', 'creationTimestamp'],
  ['metadata', 'selfLink'],
  ['metadata', 'uid'],
  ['metadata', 'clusterName'],
  ['metadata', 'generation'],
  ['metadata', 'managedFields'],
  ['metadata', 'resourceVersion'],
]);

export function manageable(set: FieldSet): FieldSet {
  return difference(set, neverManaged);
}

export type Actor = Pick<UpdateToTrack, 'manager' | 'apiVersion' | 'subresource' | 'time'>;

/** A manager that changes a field takes it from all others. The same list comes back if nothing changed. */
export function managersAfterUpdate(before: Managers, { changed, removed }: Comparison, actor: Actor): Managers {
  const own = manageable(changed);
  if (own === undefined) return capUpdaters(withoutLost(before, changed, removed));
  const updater: Manager = {
    manager: actor.manager === '' ? unnamed : actor.manager,
    operation: 'Update',
    apiVersion: actor.apiVersion,
    subresource: actor.subresource ?? '',
    time: actor.time,
    fields: own,
  };
  const previous = before.find((manager) => isSameManager(manager, updater));
  const others = previous === undefined ? before : before.filter((manager) => manager !== previous);
  const fields = union(difference(previous?.fields, removed), own);
  return capUpdaters([...withoutLost(others, changed, removed), { ...updater, fields }]);
}

/** Managers without what they lost; those who have nothing left are gone. */
export function withoutLost(managers: Managers, taken: FieldSet, removed: FieldSet): Managers {
  let changed = false;
  const rest: Manager[] = [];
  for (const manager of managers) {
    const fields = difference(difference(manager.fields, taken), removed);
    if (fields !== manager.fields || fields === undefined) changed = true;
    if (fields !== undefined) rest.push(fields === manager.fields ? manager : { ...manager, fields });
  }
  return changed ? rest : managers;
}
