// Turns what an API server answers into the compact tables of packages/embedded-cluster/src/kinds/data. Descriptions stay out.
import type {
  RecordedColumn,
  RecordedDiscovery,
  RecordedGroup,
  RecordedResource,
  RecordedSubresource,
  RecordedVersion,
} from '../packages/embedded-cluster/src/kinds/recorded.ts';
import { isServed } from '../packages/embedded-cluster/src/kinds/served.ts';

type Json = Record<string, unknown>;

export interface ApiResource {
  readonly name: string;
  readonly kind: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface GroupVersionResources {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly ApiResource[];
}

const metaPrefix = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const deleteOptions = `${metaPrefix}DeleteOptions`;
const watchEvent = `${metaPrefix}WatchEvent`;

/** Kinds that no resource has but that requests and answers are made of. */
const commonKinds = [deleteOptions, watchEvent, `${metaPrefix}Patch`, `${metaPrefix}Status`];

const wordsOfOthers = new Set(['description', 'example', 'externalDocs', 'title']);
const kindsKey = 'x-kubernetes-group-version-kind';
const referencePrefix = '#/components/schemas/';

export function recordDiscovery(server: RecordedVersion, answers: readonly GroupVersionResources[]): RecordedDiscovery {
  const groups = new Map<string, RecordedGroup['versions'][number][]>();
  for (const { group, version, resources } of answers) {
    const recorded = resources
      .filter(({ name }) => !name.includes('/') && isServed(group, name))
      .map((resource) => recordResource(group, resource, resources));
    if (recorded.length === 0) continue;
    groups.set(group, [...(groups.get(group) ?? []), { version, resources: recorded }]);
  }
  return { server, groups: [...groups].map(([group, versions]) => ({ group, versions })) };
}

function recordResource(group: string, resource: ApiResource, all: readonly ApiResource[]): RecordedResource {
  const subresources = all
    .filter(({ name }) => name.startsWith(`${resource.name}/`) && isServed(group, name))
    .map(recordSubresource);
  return {
    name: resource.name,
    kind: resource.kind,
    singularName: resource.singularName,
    namespaced: resource.namespaced,
    verbs: resource.verbs,
    ...(resource.shortNames ? { shortNames: resource.shortNames } : {}),
    ...(resource.categories ? { categories: resource.categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}

function recordSubresource({ name, kind, group, version, verbs }: ApiResource): RecordedSubresource {
  const own = { name: name.slice(name.indexOf('/') + 1), kind, verbs };
  return version === undefined ? own : { ...own, group: group ?? '', version };
}

/** The definitions of everything in `discovery`, with all that they refer to. */
export function recordDefinitions(documents: readonly Json[], discovery: RecordedDiscovery): Record<string, Json> {
  const all = new Map<string, Json>();
  for (const document of documents) {
    for (const [name, schema] of Object.entries(schemasOf(document))) addDefinition(all, name, simplify(schema));
  }
  const kept = new Map<string, Json>();
  const pending = [...commonKinds, ...definitionsOfKinds(all, wantedKinds(discovery))];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (kept.has(name)) continue;
    const definition = all.get(name);
    if (!definition) throw new Error(`the server has no definition ${name}`);
    kept.set(name, definition);
    pending.push(...references(definition));
  }
  return sortedKeys(Object.fromEntries(kept)) as Record<string, Json>;
}

export function recordColumns(table: Json): RecordedColumn[] {
  const definitions = table['columnDefinitions'] as readonly Json[];
  return definitions.map(
    ({ name, type, format, priority }) => [name, type, format, priority] as unknown as RecordedColumn,
  );
}

function addDefinition(all: Map<string, Json>, name: string, definition: Json): void {
  // Every group registers these for itself, so they are no kind of one group, and every document has another list.
  if (name === deleteOptions || name === watchEvent) delete definition[kindsKey];
  const known = all.get(name);
  if (known && JSON.stringify(known) !== JSON.stringify(definition)) {
    throw new Error(`two documents disagree about ${name}`);
  }
  all.set(name, definition);
}

function schemasOf(document: Json): Record<string, Json> {
  const components = document['components'] as { schemas?: Record<string, Json> } | undefined;
  return components?.schemas ?? {};
}

/** `group/version/kind` of every kind that a path of a served resource takes or answers. */
function wantedKinds({ groups }: RecordedDiscovery): Set<string> {
  const wanted = new Set<string>();
  for (const { group, versions } of groups) {
    for (const { version, resources } of versions) {
      for (const { kind, verbs, subresources } of resources) {
        wanted.add(`${group}/${version}/${kind}`);
        if (verbs.includes('list')) wanted.add(`${group}/${version}/${kind}List`);
        for (const sub of subresources ?? []) {
          wanted.add(`${sub.group ?? group}/${sub.version ?? version}/${sub.kind}`);
        }
      }
    }
  }
  return wanted;
}

function definitionsOfKinds(all: ReadonlyMap<string, Json>, wanted: ReadonlySet<string>): string[] {
  return [...all]
    .filter(([, definition]) => kindsOf(definition).some((kind) => wanted.has(kind)))
    .map(([name]) => name);
}

function kindsOf(definition: Json): string[] {
  const kinds = (definition[kindsKey] ?? []) as readonly Record<string, string>[];
  return kinds.map(({ group, version, kind }) => `${group}/${version}/${kind}`);
}

function simplify(schema: Json): Json {
  const simple: Json = {};
  for (const [key, value] of Object.entries(schema)) {
    if (!wordsOfOthers.has(key)) simple[key] = simplifyKeyword(key, value);
  }
  const [only, ...others] = Array.isArray(simple['allOf']) ? (simple['allOf'] as readonly Json[]) : [];
  if (only?.['$ref'] !== undefined && others.length === 0) {
    delete simple['allOf'];
    simple['$ref'] = only['$ref'];
  }
  return sortedKeys(simple) as Json;
}

function simplifyKeyword(key: string, value: unknown): unknown {
  if (key === '$ref') return String(value).replace(referencePrefix, '');
  if (key === 'properties') {
    return Object.fromEntries(Object.entries(value as Record<string, Json>).map(([name, of]) => [name, simplify(of)]));
  }
  if (key === 'allOf' || key === 'anyOf' || key === 'oneOf') return (value as readonly Json[]).map(simplify);
  if ((key === 'items' || key === 'not' || key === 'additionalProperties') && typeof value === 'object') {
    return simplify(value as Json);
  }
  return value;
}

function references(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' ? [value] : references(value),
  );
}

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, of]) => [key, sortedKeys(of)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** One line for each entry: small, and a change of one definition is a change of one line. */
export function entryPerLine(entries: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(entries).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

export function discoveryText({ server, groups }: RecordedDiscovery): string {
  const groupTexts = groups.map(({ group, versions }) => {
    const versionTexts = versions.map(({ version, resources }) => {
      const lines = resources.map((resource) => JSON.stringify(resource)).join(',\n');
      return `{"version":${JSON.stringify(version)},"resources":[\n${lines}\n]}`;
    });
    return `{"group":${JSON.stringify(group)},"versions":[${versionTexts.join(',')}]}`;
  });
  return `{"server":${JSON.stringify(server)},\n"groups":[\n${groupTexts.join(',\n')}\n]}\n`;
}
