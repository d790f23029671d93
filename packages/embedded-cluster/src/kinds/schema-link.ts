import { definitions } from './extra-kinds.ts';
import type { RawSchema, Schema } from './schema.ts';

/** Follows the references of flat definitions, each when it is first asked for. */
export interface SchemaLinker {
  byName(definition: string): Schema | undefined;
  byKind(group: string, version: string, kind: string): Schema | undefined;
  nameOf(group: string, version: string, kind: string): string | undefined;
}

type Draft = { -readonly [key in keyof Schema]: Schema[key] };

/**
 * Definitions whose text says "object" or nothing at all but which hold whatever a client sent: documents inside a
 * document, and values of any type.
 */
const opaque = new Set([
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1',
  'io.k8s.apimachinery.pkg.runtime.RawExtension',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray',
]);

export function createSchemaLinker(raw: Readonly<Record<string, RawSchema>>): SchemaLinker {
  const linked = new Map<string, Schema>();
  let names: ReadonlyMap<string, string> | undefined;

  function byName(definition: string): Schema | undefined {
    const known = linked.get(definition);
    if (known) return known;
    if (!Object.hasOwn(raw, definition)) return undefined;
    const session = new LinkSession(raw, linked);
    const schema = session.definition(definition);
    session.finish();
    return schema;
  }

  function nameOf(group: string, version: string, kind: string): string | undefined {
    names ??= indexKinds(raw);
    return names.get(`${group}/${version}/${kind}`);
  }

  return {
    byName,
    nameOf,
    byKind(group, version, kind) {
      const name = nameOf(group, version, kind);
      return name === undefined ? undefined : byName(name);
    },
  };
}

function indexKinds(raw: Readonly<Record<string, RawSchema>>): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, schema] of Object.entries(raw)) {
    const kinds = schema['x-kubernetes-group-version-kind'] as Schema['x-kubernetes-group-version-kind'];
    for (const { group, version, kind } of kinds ?? []) names.set(`${group}/${version}/${kind}`, name);
  }
  return names;
}

/** Links one definition and all that it leads to. */
class LinkSession {
  readonly #raw: Readonly<Record<string, RawSchema>>;
  readonly #linked: Map<string, Schema>;
  /** A reference with words of its own (a default) is a copy of its target, which must be complete first. */
  readonly #copies: { readonly copy: Draft; readonly target: Schema; readonly own: Draft }[] = [];

  constructor(raw: Readonly<Record<string, RawSchema>>, linked: Map<string, Schema>) {
    this.#raw = raw;
    this.#linked = linked;
  }

  definition(name: string): Schema {
    const known = this.#linked.get(name);
    if (known) return known;
    const raw = this.#raw[name];
    if (!raw) throw new Error(`no definition ${name}`);
    const schema: Draft = {};
    this.#linked.set(name, schema);
    Object.assign(schema, this.#keywords(raw));
    if (opaque.has(name)) schema['x-kubernetes-preserve-unknown-fields'] = true;
    return schema;
  }

  finish(): void {
    for (const { copy, target, own } of this.#copies) Object.assign(copy, target, own);
  }

  #schema(raw: RawSchema): Schema {
    const { $ref: reference, ...rest } = raw;
    if (typeof reference !== 'string') return this.#keywords(raw);
    const target = this.definition(reference);
    if (Object.keys(rest).length === 0) return target;
    const copy: Draft = {};
    this.#copies.push({ copy, target, own: this.#keywords(rest) });
    return copy;
  }

  #keywords(raw: RawSchema): Draft {
    const schema: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(raw)) schema[key] = this.#keyword(key, value);
    if (schema['format'] === 'int-or-string') schema['x-kubernetes-int-or-string'] = true;
    return schema as Draft;
  }

  #keyword(key: string, value: unknown): unknown {
    switch (key) {
      case 'properties': {
        const entries = Object.entries(value as Record<string, RawSchema>);
        return Object.fromEntries(entries.map(([name, of]) => [name, this.#schema(of)]));
      }
      case 'allOf':
      case 'anyOf':
      case 'oneOf':
        return (value as readonly RawSchema[]).map((of) => this.#schema(of));
      case 'items':
      case 'not':
        return this.#schema(value as RawSchema);
      case 'additionalProperties':
        return typeof value === 'boolean' ? value : this.#schema(value as RawSchema);
      default:
        return value;
    }
  }
}

/** The linker of everything that is built in. */
export const builtinSchemas: SchemaLinker = createSchemaLinker(definitions);

export function schemaFor(group: string, version: string, kind: string): Schema | undefined {
  return builtinSchemas.byKind(group, version, kind);
}
