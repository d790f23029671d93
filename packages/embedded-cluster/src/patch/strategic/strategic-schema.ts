/** What a schema says about strategic merge patches. */

import type { Schema } from '../../kinds/schema.ts';

export interface ListRule {
  /** Lists that are not merged are replaced. */
  readonly merges: boolean;
  /** Undefined: the elements are a set of scalars. */
  readonly mergeKey: string | undefined;
  readonly element: Schema | undefined;
}

/** A reference that carries a default or a description is recorded as the only part of an allOf. */
export function unwrap(schema: Schema | undefined): Schema | undefined {
  const only = schema?.allOf?.length === 1 ? schema.allOf[0] : undefined;
  return only === undefined || schema?.type !== undefined || schema?.properties !== undefined ? schema : unwrap(only);
}

/** The schema of a map's value under that key; undefined: untyped. */
export function fieldSchema(schema: Schema | undefined, key: string): Schema | undefined {
  const map = unwrap(schema);
  if (map?.properties !== undefined && Object.hasOwn(map.properties, key)) return map.properties[key];
  const rest = map?.additionalProperties;
  return typeof rest === 'object' ? rest : undefined;
}

function strategies(schema: Schema | undefined): readonly string[] {
  return (schema?.['x-kubernetes-patch-strategy'] ?? unwrap(schema)?.['x-kubernetes-patch-strategy'] ?? '').split(',');
}

export function listRule(schema: Schema | undefined): ListRule {
  return {
    merges: strategies(schema).includes('merge'),
    mergeKey: schema?.['x-kubernetes-patch-merge-key'] ?? unwrap(schema)?.['x-kubernetes-patch-merge-key'],
    element: unwrap(schema)?.items,
  };
}

export function replacesMap(schema: Schema | undefined): boolean {
  return strategies(schema).includes('replace');
}
