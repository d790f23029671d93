import { joinApiVersion, type KubeObject, type ResourceKey, resourceKey } from '../objects.ts';
import { convertEvent } from './event-conversion.ts';
import { builtinGroups, recordedColumns } from './extra-kinds.ts';
import { convertAutoscaler } from './hpa-conversion.ts';
import type { RecordedResource } from './recorded.ts';
import type { ColumnDefinition, Conversion, ResourceType, SubresourceType, TableColumns } from './resource-type.ts';
import { schemaFor } from './schema-link.ts';
import type { Strategy } from './strategy.ts';
import { convertWorkload } from './workload-conversion.ts';

/** A row of `kubectl get`, one value for each recorded column. */
export type Cells = (object: KubeObject, nowMs: number) => readonly unknown[];

export interface BuiltinRules {
  readonly strategies: ReadonlyMap<ResourceKey, Strategy>;
  readonly cells: ReadonlyMap<ResourceKey, Cells>;
}

/** Both groups' events are one collection, kept in the shape of the core group. */
const sharedKeys: ReadonlyMap<ResourceKey, ResourceKey> = new Map([['events.k8s.io/events', 'events']]);

const conversions: ReadonlyMap<ResourceKey, Conversion> = new Map([
  ['events', { kind: 'function', convert: convertEvent }],
  ['autoscaling/horizontalpodautoscalers', { kind: 'function', convert: convertAutoscaler }],
  ['scheduling.k8s.io/podgroups', { kind: 'function', convert: convertWorkload }],
  ['scheduling.k8s.io/workloads', { kind: 'function', convert: convertWorkload }],
]);

/** What a resource without columns of its own shows. */
export const defaultColumns: TableColumns = {
  definitions: [column('Name', 'string', 'name', 0), column('Created At', 'date', '', 0)],
  cells: ({ metadata }) => [metadata.name, metadata.creationTimestamp ?? null],
};

/** Every built-in resource in every version, in order of preference. */
export function builtinTypes(rules: BuiltinRules): ResourceType[] {
  return builtinGroups.flatMap(({ group, versions }) =>
    versions.flatMap(({ version, resources }) =>
      resources.map((resource) => {
        const preferred = versions.find((other) => other.resources.some(({ name }) => name === resource.name));
        return builtinType(rules, group, version, preferred?.version ?? version, resource);
      }),
    ),
  );
}

function builtinType(
  { strategies, cells }: BuiltinRules,
  group: string,
  version: string,
  storageVersion: string,
  resource: RecordedResource,
): ResourceType {
  const own = resourceKey(group, resource.name);
  const key = sharedKeys.get(own) ?? own;
  const conversion = conversions.get(key) ?? { kind: 'rename' };
  const stored = joinApiVersion(key.includes('/') ? group : '', storageVersion);
  return {
    key,
    group,
    version,
    kind: resource.kind,
    listKind: `${resource.kind}List`,
    plural: resource.name,
    singular: resource.singularName,
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    namespaced: resource.namespaced,
    verbs: resource.verbs,
    storageVersion,
    get schema() {
      return schemaFor(group, version, resource.kind);
    },
    subresources: subresourcesOf(resource),
    strategy: strategies.get(key) ?? {},
    conversion,
    columns: columnsOf(joinApiVersion(group, version), resource.name, cellsOf(cells.get(key), conversion, stored)),
    custom: undefined,
  };
}

function subresourcesOf({ subresources }: RecordedResource): ReadonlyMap<string, SubresourceType> {
  return new Map((subresources ?? []).map((subresource) => [subresource.name, subresource]));
}

/** Cells are computed from the shape that objects are kept in, whichever shape the client reads. */
function cellsOf(cells: Cells | undefined, conversion: Conversion, stored: string): Cells | undefined {
  if (!cells || conversion.kind !== 'function') return cells;
  return (object, nowMs) => cells(conversion.convert(object, stored), nowMs);
}

function columnsOf(apiVersion: string, plural: string, cells: Cells | undefined): TableColumns {
  const recorded = recordedColumns(apiVersion, plural);
  if (!recorded || !cells) return defaultColumns;
  return { definitions: recorded.map((of) => column(...of)), cells };
}

function column(name: string, type: string, format: string, priority: number): ColumnDefinition {
  return { name, type, format, description: '', priority };
}
