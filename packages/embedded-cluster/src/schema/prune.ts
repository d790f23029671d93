import type { Schema } from '../kinds/schema.ts';
import { builtinSchemas } from '../kinds/schema-link.ts';
import { getOwn, isJsonObject } from './json-values.ts';

/** Every object inside an object has these, whatever the schema says of them, and they hold what they hold everywhere. */
const ofEveryObject: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ['apiVersion', { type: 'string' }],
  ['kind', { type: 'string' }],
  ['metadata', builtinSchemas.byName('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta') ?? {}],
]);

/**
 * Drops, in place, the fields that the schema does not name, and answers their paths: `spec.foo`, `spec.list[0].bar`. Fields are
 * kept where the schema says so, and in embedded resources the three that every resource has.
 */
export function prune(draft: unknown, schema: Schema | undefined): string[] {
  return pruneInOrder(draft, schema).sort();
}

/** The same, with the paths in the order of the document: how the real server reports those of built-in kinds. */
export function pruneInOrder(draft: unknown, schema: Schema | undefined): string[] {
  const dropped: string[] = [];
  visit(draft, schema, '', dropped);
  return dropped;
}

function visit(value: unknown, schema: Schema | undefined, path: string, dropped: string[]): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) visitItem(item, schema, `${path}[${index}]`, dropped);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const key of Object.keys(value)) {
    const at = path === '' ? key : `${path}.${key}`;
    const ofAll = schema?.['x-kubernetes-embedded-resource'] === true ? ofEveryObject.get(key) : undefined;
    const field: Field = ofAll ? { known: true, schema: ofAll } : fieldSchema(schema, key);
    if (field.known) visit(value[key], field.schema, at, dropped);
    else if (schema?.['x-kubernetes-preserve-unknown-fields'] !== true) {
      dropped.push(at);
      delete value[key];
    }
  }
}

/** Items of a list that keeps unknown fields keep theirs. */
function visitItem(item: unknown, schema: Schema | undefined, path: string, dropped: string[]): void {
  const items = schema?.items;
  if (schema?.['x-kubernetes-preserve-unknown-fields'] !== true) visit(item, items, path, dropped);
  else if (items) visit(item, { ...items, 'x-kubernetes-preserve-unknown-fields': true }, path, dropped);
}

type Field = { readonly known: false } | { readonly known: true; readonly schema: Schema };

/** A map without a schema for its values holds anything. */
const anything: Schema = { 'x-kubernetes-preserve-unknown-fields': true };

function fieldSchema(schema: Schema | undefined, key: string): Field {
  const property = getOwn(schema?.properties, key);
  if (property) return { known: true, schema: property };
  const additional = schema?.additionalProperties;
  if (additional === undefined || additional === false) return { known: false };
  return { known: true, schema: additional === true ? anything : additional };
}

/** What field validation says about fields that were dropped. */
export function unknownFieldTexts(paths: readonly string[]): string[] {
  return paths.map((path) => `unknown field "${path}"`);
}
