/** Server-side apply. */

import { type ApiError, badRequest } from '../errors.ts';
import type { Schema } from '../kinds/schema.ts';
import type { KubeObject } from '../objects.ts';
import { type ApplyConflict, conflictError } from './apply-conflict.ts';
import { compareObjects } from './fields/field-compare.ts';
import { difference, differenceBelow, type FieldSet, intersection, printMembers, union } from './fields/field-set.ts';
import { fieldSetOf, withNamedParents } from './fields/field-set-of.ts';
import { withoutManagedFields } from './fields/field-types.ts';
import { manageable, managersAfterUpdate, setOfPaths, withoutFields, withoutLost } from './fields/managed-fields.ts';
import { encodeManagers, isSameManager, type Manager, type Managers, storedManagers } from './fields/managers.ts';
import { equalJsonToDepth, isMap, isWithinDepth, type JsonMap } from './json-tree.ts';
import { fieldsLastApplied, kubectl, withLastApplied } from './last-applied.ts';
import { doesNotApply, unclassified } from './patch-result.ts';
import { mergeConfiguration, removeFields } from './typed-merge.ts';
import { configurationProblem } from './typed-validate.ts';

export interface Application {
  /** Undefined: the object does not exist yet. */
  readonly live: KubeObject | undefined;
  readonly applied: JsonMap;
  readonly manager: string;
  readonly force: boolean;
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
  /** RFC 3339, in whole seconds. */
  readonly time: string;
  readonly schema: Schema | undefined;
  /** Paths that this request cannot change, whatever it says: `status` in requests to the main resource, for example. */
  readonly resetFields?: readonly (readonly string[])[] | undefined;
}

export type ApplyOutcome =
  | { readonly ok: true; readonly object: KubeObject; readonly changed: boolean }
  /** Without conflicts, the configuration itself is to blame. */
  | { readonly ok: false; readonly error: ApiError; readonly conflicts: readonly ApplyConflict[] };

const beforeFirstApply = 'before-first-apply';

export function applyConfiguration(application: Application): ApplyOutcome {
  const error = refusal(application);
  if (error !== undefined) return { ok: false, error, conflicts: [] };
  const merged = mergeAndPrune(application, managersBefore(application));
  const conflicts = application.force ? [] : describe(standingConflicts(application, conflictsOf(merged)));
  if (conflicts.length > 0) return { ok: false, error: conflictError(conflicts), conflicts };
  return outcome(application, merged);
}

function refusal({ applied, schema }: Application): ApiError | undefined {
  if (!isWithinDepth(applied)) return doesNotApply();
  const metadata = applied['metadata'];
  if (isMap(metadata) && Array.isArray(metadata['managedFields'])) {
    return badRequest('metadata.managedFields must be nil');
  }
  const problem = configurationProblem(applied, schema);
  return problem === undefined ? undefined : unclassified(problem);
}

/** An object without managers gets the placeholder manager of Kubernetes, so that taking its fields over shows as a conflict. */
function managersBefore(application: Application): Managers {
  const { live, schema, resetFields } = application;
  const stored = storedManagers(live?.metadata.managedFields);
  if (live === undefined || stored.length > 0) return stored;
  const everything = withoutFields(compareObjects(undefined, live, schema), resetFields);
  return managersAfterUpdate([], everything, { ...application, manager: beforeFirstApply });
}

interface Merged {
  readonly object: JsonMap;
  readonly applier: Manager;
  readonly others: Managers;
  /** What the merge gave other values, and what it took away. */
  readonly taken: FieldSet;
  readonly removed: FieldSet;
}

function mergeAndPrune(application: Application, managers: Managers): Merged {
  const { live, applied, schema, resetFields } = application;
  const previous = managers.find((manager) => isSameManager(manager, applierOf(application, undefined)));
  const applier = applierOf(application, differenceBelow(fieldSetOf(applied, schema), setOfPaths(resetFields ?? [])));
  const others = managers.filter((manager) => manager !== previous);
  const start = withoutManagedFields(live ?? {});
  const merged = mergeConfiguration(start, applied, schema);
  const pruned = prunedFields(merged, previous?.fields, [...others, applier], schema);
  const object = removeFields(merged, pruned, schema, undefined);
  // The manager of a map that is empty now still manages it.
  const compared = removeFields(merged, pruned, schema, null);
  const comparison = withoutFields(compareObjects(start, compared, schema), resetFields);
  return {
    object,
    applier: { ...applier, fields: manageable(applier.fields), time: previous?.time },
    others,
    taken: comparison.changed,
    removed: comparison.removed,
  };
}

function applierOf({ manager, apiVersion, subresource, time }: Application, fields: FieldSet): Manager {
  return { manager, operation: 'Apply', apiVersion, subresource: subresource ?? '', time, fields };
}

/** What is removed: what this applier applied last time and not this time, as long as no other manager has it. */
function prunedFields(merged: JsonMap, last: FieldSet, managers: Managers, schema: Schema | undefined): FieldSet {
  if (last === undefined) return undefined;
  const ensure = (set: FieldSet) => withNamedParents(set, schema);
  const managed = ensure(managers.reduce<FieldSet>((set, { fields }) => union(set, fields), undefined));
  const all = ensure(fieldSetOf(merged, schema));
  const rest = (object: JsonMap) => ensure(fieldSetOf(object, schema));
  const without = removeFields(merged, ensure(last), schema, null);
  const withOwned = removeFields(merged, difference(all, union(rest(without), managed)), schema, null);
  return intersection(difference(all, rest(withOwned)), ensure(last));
}

interface Conflicting {
  readonly manager: Manager;
  readonly fields: FieldSet;
}

function conflictsOf({ others, taken }: Merged): Conflicting[] {
  return others
    .map((manager) => ({ manager, fields: intersection(manager.fields, taken) }))
    .filter(({ fields }) => fields !== undefined);
}

/** What kubectl itself applied earlier, from the client's side, is not in its way. */
function standingConflicts({ live, manager, apiVersion, schema }: Application, all: Conflicting[]): Conflicting[] {
  if (manager !== kubectl || live === undefined || all.length === 0) return all;
  const allowed = fieldsLastApplied(live, apiVersion, schema);
  return all
    .map((conflict) => ({ ...conflict, fields: difference(conflict.fields, allowed) }))
    .filter(({ fields }) => fields !== undefined);
}

function describe(conflicts: readonly Conflicting[]): ApplyConflict[] {
  return conflicts
    .map(({ manager: { fields: _, ...manager }, fields }) => ({ ...manager, fields: printMembers(fields) }))
    .sort((left, right) => (left.manager < right.manager ? -1 : left.manager > right.manager ? 1 : 0));
}

function outcome(application: Application, { object, applier, others, taken, removed }: Merged): ApplyOutcome {
  const { live, time, manager, applied } = application;
  const sameObject = live !== undefined && equalJsonToDepth(withoutManagedFields(live), object);
  const rest = withoutLost(others, taken, removed);
  const own = { ...applier, time: sameObject ? applier.time : time };
  const managedFields = encodeManagers(applier.fields === undefined ? rest : [...rest, own]);
  const metadata = {
    ...(isMap(object['metadata']) ? object['metadata'] : {}),
    ...(managedFields && { managedFields }),
  };
  const plain = { ...object, metadata } as unknown as KubeObject;
  const result = manager === kubectl ? withLastApplied(plain, applied) : plain;
  return { ok: true, object: result, changed: live === undefined || !equalJsonToDepth(live, result) };
}
