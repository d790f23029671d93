/**
 * Objects that `kubectl apply` used to manage through an annotation: `kubectl apply --server-side` may overrule what the annotation
 * shows to be its own earlier doing, and the annotation follows what it applies.
 */

import type { Schema } from '../kinds/schema.ts';
import type { KubeObject } from '../objects.ts';
import { compareObjects } from './fields/field-compare.ts';
import { difference, type FieldSet } from './fields/field-set.ts';
import { fieldSetOf } from './fields/field-set-of.ts';
import { isMap, isWithinDepth, type JsonMap } from './json-tree.ts';

export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** The only manager this is for; a client that does not want it takes another name. */
export const kubectl = 'kubectl';

/** The fields that still are as they were applied last. */
export function fieldsLastApplied(live: KubeObject, apiVersion: string, schema: Schema | undefined): FieldSet {
  const applied = parse(live.metadata.annotations?.[lastAppliedAnnotation]);
  if (applied === undefined || applied['apiVersion'] !== apiVersion) return undefined;
  const { changed, removed } = compareObjects(applied, live, schema);
  return difference(difference(fieldSetOf(applied, schema), changed), removed);
}

function parse(text: string | undefined): JsonMap | undefined {
  if (!text) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) && isWithinDepth(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The object with the annotation brought up to date, if it has it. */
export function withLastApplied(object: KubeObject, applied: JsonMap): KubeObject {
  const annotations = object.metadata.annotations;
  if (!annotations?.[lastAppliedAnnotation]) return object;
  const text = `${JSON.stringify(sortKeys(withoutAnnotation(applied)))}\n`;
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...annotations, [lastAppliedAnnotation]: text } },
  };
}

function withoutAnnotation(applied: JsonMap): JsonMap {
  const metadata = applied['metadata'];
  const annotations = isMap(metadata) ? metadata['annotations'] : undefined;
  if (!isMap(metadata) || !isMap(annotations)) return applied;
  const { [lastAppliedAnnotation]: _, ...rest } = annotations;
  const { annotations: __, ...others } = metadata;
  const kept = Object.keys(rest).length === 0 ? others : { ...others, annotations: rest };
  return { ...applied, metadata: kept };
}

/** As Go writes maps. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key])]),
  );
}
