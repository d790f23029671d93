import { definitions } from '../kinds/extra-kinds.ts';
import type { ResourceType } from '../kinds/resource-type.ts';
import type { RawSchema, Schema } from '../kinds/schema.ts';
import { builtinSchemas } from '../kinds/schema-link.ts';
import type { JsonObject } from '../objects.ts';
import { describedMetadata, ofEveryObject } from './common-descriptions.ts';
import type { DefinitionName } from './openapi-operations.ts';

/** The `components.schemas` of an OpenAPI document: everything that its paths lead to. */

const referencePrefix = '#/components/schemas/';
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

export interface DocumentDefinitions {
  readonly nameOf: DefinitionName;
  definition(name: string): RawSchema | undefined;
}

/** The built-in definitions and those of the custom kinds among `types`. */
export function definitionsFor(types: readonly ResourceType[]): DocumentDefinitions {
  const custom = new Map<string, RawSchema>();
  const names = new Map<string, string>();
  for (const type of types) {
    if (type.custom === undefined) continue;
    for (const [kind, schema] of customDefinitions(type)) {
      const name = customName(type, kind);
      custom.set(name, schema);
      names.set(`${type.group}/${type.version}/${kind}`, name);
    }
  }
  return {
    nameOf: (group, version, kind) =>
      names.get(`${group}/${version}/${kind}`) ?? builtinSchemas.nameOf(group, version, kind),
    definition: (name) => custom.get(name) ?? builtinDefinition(name),
  };
}

const objectMeta = `${meta}.ObjectMeta`;

function builtinDefinition(name: string): RawSchema | undefined {
  const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  return definition && name === objectMeta ? describedMetadata(definition) : definition;
}

/** `example.com`, `v1`, `Widget` make `com.example.v1.Widget`. */
function customName({ group, version }: ResourceType, kind: string): string {
  return [...group.split('.').reverse(), version, kind].join('.');
}

function customDefinitions(type: ResourceType): (readonly [string, RawSchema])[] {
  const text = (description: string) => ({ type: 'string', description });
  const named = (kind: string): JsonObject => ({
    'x-kubernetes-group-version-kind': [{ group: type.group, version: type.version, kind }],
  });
  const properties = { apiVersion: text(ofEveryObject.apiVersion), kind: text(ofEveryObject.kind) };
  const list = {
    type: 'object',
    required: ['items'],
    properties: {
      ...properties,
      items: { type: 'array', items: { $ref: customName(type, type.kind) } },
      metadata: { $ref: `${meta}.ListMeta` },
    },
    ...named(type.listKind),
  };
  const schema: Schema = type.schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const object = {
    ...schema,
    properties: {
      ...schema.properties,
      ...properties,
      metadata: { $ref: objectMeta, description: ofEveryObject.metadata },
    },
    ...named(type.kind),
  };
  return [
    [type.kind, object],
    [type.listKind, list],
  ];
}

/** What the paths refer to and what that refers to, each once, by name. */
export function schemaClosure(paths: JsonObject, { definition }: DocumentDefinitions): JsonObject {
  const kept = new Map<string, JsonObject>();
  const pending = [...referencesIn(paths)];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const schema = kept.has(name) ? undefined : definition(name);
    if (!schema) continue;
    kept.set(name, schema);
    pending.push(...referencesIn(schema));
  }
  return Object.fromEntries([...kept].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function referencesIn(value: unknown, found: Set<string> = new Set()): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, child] of Object.entries(value)) {
    if (key === '$ref' && typeof child === 'string') found.add(child);
    else referencesIn(child, found);
  }
  return found;
}

/** Bare names become pointers. A pointer may not have neighbours, so where it has it moves into `allOf`. */
export function withPointers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPointers);
  if (typeof value !== 'object' || value === null) return value;
  const { $ref: name, ...rest } = value as JsonObject;
  const others = Object.fromEntries(Object.entries(rest).map(([key, child]) => [key, withPointers(child)]));
  if (name === undefined) return others;
  if (typeof name !== 'string') return { $ref: withPointers(name), ...others };
  const pointer = { $ref: `${referencePrefix}${name}` };
  return Object.keys(others).length === 0 ? pointer : { ...others, allOf: [pointer] };
}
