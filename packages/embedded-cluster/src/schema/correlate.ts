import type { Schema } from '../kinds/schema.ts';
import { canonical, getOwn, isJsonObject } from './json-values.ts';

/**
 * Finds what an item was in the old list. Only lists with keys say so; undefined: it was not there, or that is unknown. The old list is
 * read once, when the first item asks.
 */
export function itemCorrelator(schema: Schema, oldList: unknown): (item: unknown) => unknown {
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(oldList)) return () => undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  let byKey: Map<string, unknown> | undefined;
  return (item) => {
    byKey ??= new Map(oldList.filter(isJsonObject).map((old) => [keyOf(old, keys), old]));
    return isJsonObject(item) ? byKey.get(keyOf(item, keys)) : undefined;
  };
}

/** What identifies an item of a list with keys; keys that are not there are left out. */
export function mapKey(item: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  const present = keys.filter((key) => Object.hasOwn(item, key));
  return Object.fromEntries(present.map((key) => [key, getOwn(item, key)]));
}

function keyOf(item: Readonly<Record<string, unknown>>, keys: readonly string[]): string {
  return canonical(mapKey(item, keys));
}
