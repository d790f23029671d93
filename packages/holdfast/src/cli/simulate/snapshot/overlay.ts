import { isObject } from '@holdfast/base/json';
import { splitApiVersion } from '@holdfast/embedded-cluster/objects';
import type { LoadedObject } from '../../load-objects.ts';
import { spaceOf } from './uids.ts';

/** Their specs are alternatives: what is left of another one would make them invalid. */
const replacedWhole = new Set(['PodDisruptionBudget', 'PodUnavailableBudget']);

export interface Overlaid {
  readonly objects: readonly LoadedObject[];
  readonly changed: readonly string[];
  readonly added: readonly string[];
}

/** The snapshot with some objects as they would be. Of what is there, fields that are not named stay; `null` takes a field away. */
export function overlay(objects: readonly LoadedObject[], changes: readonly LoadedObject[]): Overlaid {
  const result = new Map(objects.map((object) => [keyOf(object), object]));
  const changed: string[] = [];
  const added: string[] = [];
  for (const change of changes) {
    const before = result.get(keyOf(change));
    (before === undefined ? added : changed).push(nameOf(change));
    result.set(keyOf(change), before === undefined ? change : changedBy(before, change));
  }
  return { objects: [...result.values()], changed, added };
}

function changedBy(before: LoadedObject, change: LoadedObject): LoadedObject {
  const { status: _status, metadata, ...rest } = change;
  const { labels, annotations } = metadata;
  const generation = Number(before.metadata['generation'] ?? 1) + 1;
  const merged = merge(before, { ...rest, metadata: { labels, annotations, generation } });
  // Safe: what it was merged into had a name.
  const next = merged as LoadedObject;
  return replacedWhole.has(before.kind) && change['spec'] !== undefined ? { ...next, spec: change['spec'] } : next;
}

/** As a JSON merge patch does it. */
function merge(before: unknown, change: unknown): unknown {
  if (!isObject(change)) return change;
  const merged: Record<string, unknown> = isObject(before) ? { ...before } : {};
  for (const [key, value] of Object.entries(change)) {
    if (value === null) delete merged[key];
    else if (value !== undefined) merged[key] = merge(merged[key], value);
  }
  return merged;
}

function keyOf({ apiVersion, kind, metadata }: LoadedObject): string {
  return `${splitApiVersion(apiVersion).group}/${kind}/${spaceOf(metadata)}/${metadata.name}`;
}

function nameOf({ kind, metadata }: LoadedObject): string {
  return `${kind} ${spaceOf(metadata)}/${metadata.name}`;
}
