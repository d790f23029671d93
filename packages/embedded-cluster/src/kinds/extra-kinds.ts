import type { JsonObject } from '../objects.ts';
import {
  type RecordedColumn,
  type RecordedGroup,
  type RecordedResource,
  recordedDefinitions,
  recordedDiscovery,
  recordedTables,
} from './recorded.ts';
import type { RawSchema } from './schema.ts';

/**
 * What the cluster serves beyond the recorded server: the Workload API of earlier releases, and the pod fields of
 * proposals that no release has. All versions of a kind accept the fields of all others, so that an object can be
 * written in one version and read in another without losing anything.
 */

const schedulingGroup = 'scheduling.k8s.io';
const scheduling = 'io.k8s.api.scheduling';
const core = 'io.k8s.api.core.v1';
const objectMeta = { $ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', default: {} };
const listMeta = { $ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta', default: {} };
const text = { type: 'string' };
const int32 = { type: 'integer', format: 'int32' };

function object(properties: Record<string, RawSchema>, required: readonly string[] = []): RawSchema {
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

function namedList(of: RawSchema): RawSchema {
  return { type: 'array', items: of, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
}

const disruptionModeName = { type: 'string', enum: ['Pod', 'PodGroup'] };

/** Pod groups inside the Workload, with the number of replicas that one proposal counts on. */
const podGroups = namedList({ $ref: `${scheduling}.v1alpha1.PodGroup` });

const templateReference = object({
  workload: object({ workloadName: text, podGroupTemplateName: text }, ['workloadName', 'podGroupTemplateName']),
});

const newDefinitions: Readonly<Record<string, RawSchema>> = {
  [`${core}.WorkloadReference`]: object({ name: text, podGroup: text, podGroupReplicaKey: text }, ['name', 'podGroup']),
  [`${core}.ProposedWorkloadReference`]: object({ name: text, podGroup: text, podGroupReplicaIndex: int32 }),
  [`${scheduling}.v1alpha1.PodGroup`]: object(
    { name: text, replicas: int32, policy: ref('v1beta1.PodGroupSchedulingPolicy') },
    ['name'],
  ),
  ...kindDefinitions('v1alpha1', 'Workload', { spec: ref('v1alpha1.WorkloadSpec') }),
  [`${scheduling}.v1alpha1.WorkloadSpec`]: extend(`${scheduling}.v1beta1.WorkloadSpec`, { podGroups }),
  ...kindDefinitions('v1alpha2', 'Workload', { spec: ref('v1alpha2.WorkloadSpec') }),
  [`${scheduling}.v1alpha2.WorkloadSpec`]: extend(`${scheduling}.v1beta1.WorkloadSpec`, {
    podGroups,
    podGroupTemplates: namedList(ref('v1alpha2.PodGroupTemplate')),
  }),
  [`${scheduling}.v1alpha2.PodGroupTemplate`]: extend(`${scheduling}.v1beta1.PodGroupTemplate`, {
    disruptionMode: disruptionModeName,
  }),
  ...kindDefinitions('v1alpha2', 'PodGroup', {
    spec: ref('v1alpha2.PodGroupSpec'),
    status: { ...ref('v1beta1.PodGroupStatus'), default: {} },
  }),
  [`${scheduling}.v1alpha2.PodGroupSpec`]: extend(`${scheduling}.v1beta1.PodGroupSpec`, {
    disruptionMode: { ...disruptionModeName, default: 'Pod' },
    podGroupTemplateRef: templateReference,
  }),
};

const extendedDefinitions: Readonly<Record<string, RawSchema>> = {
  [`${core}.Container`]: extend(`${core}.Container`, { disruptionProbe: { $ref: `${core}.Probe` } }),
  [`${core}.PodSpec`]: extend(`${core}.PodSpec`, {
    workloadRef: { $ref: `${core}.WorkloadReference` },
    workload: { $ref: `${core}.ProposedWorkloadReference` },
    workloadReference: { $ref: `${core}.ProposedWorkloadReference` },
  }),
  ...inCurrentVersions('WorkloadSpec', { podGroups }),
  ...inCurrentVersions('PodGroupSpec', { podGroupTemplateRef: templateReference }),
};

/** Everything the cluster knows the shape of, by definition name. */
export const definitions: Readonly<Record<string, RawSchema>> = {
  ...recordedDefinitions,
  ...extendedDefinitions,
  ...newDefinitions,
};

/** Every group that is served without any CRD; groups and versions in order of preference. */
export const builtinGroups: readonly RecordedGroup[] = recordedDiscovery.groups.map((recorded) =>
  recorded.group === schedulingGroup ? withOldVersions(recorded) : recorded,
);

export function recordedColumns(apiVersion: string, plural: string): readonly RecordedColumn[] | undefined {
  const [group, version] = apiVersion.split('/');
  const old = group === schedulingGroup && (version === 'v1alpha1' || version === 'v1alpha2');
  const key = `${old ? `${schedulingGroup}/v1beta1` : apiVersion}/${plural}`;
  return Object.hasOwn(recordedTables, key) ? recordedTables[key] : undefined;
}

function withOldVersions(recorded: RecordedGroup): RecordedGroup {
  const current = recorded.versions.find(({ version }) => version === 'v1beta1')?.resources ?? [];
  const only = (...names: string[]): RecordedResource[] => current.filter(({ name }) => names.includes(name));
  return {
    group: recorded.group,
    versions: [
      ...recorded.versions,
      { version: 'v1alpha2', resources: only('podgroups', 'workloads') },
      { version: 'v1alpha1', resources: only('workloads') },
    ],
  };
}

function ref(name: string): RawSchema {
  return { $ref: `${scheduling}.${name}` };
}

/** A kind of the scheduling group and its list. */
function kindDefinitions(version: string, kind: string, fields: Record<string, RawSchema>): Record<string, RawSchema> {
  const typeFields = { apiVersion: text, kind: text };
  const named = (name: string): JsonObject => ({
    'x-kubernetes-group-version-kind': [{ group: schedulingGroup, version, kind: name }],
  });
  return {
    [`${scheduling}.${version}.${kind}`]: {
      ...object({ ...typeFields, metadata: objectMeta, ...fields }, ['spec']),
      ...named(kind),
    },
    [`${scheduling}.${version}.${kind}List`]: {
      ...object({ ...typeFields, metadata: listMeta, items: { type: 'array', items: ref(`${version}.${kind}`) } }, [
        'items',
      ]),
      ...named(`${kind}List`),
    },
  };
}

function extend(name: string, properties: Record<string, RawSchema>): RawSchema {
  const recorded = recordedDefinitions[name];
  if (!recorded) throw new Error(`the recorded data has no definition ${name}`);
  return { ...recorded, properties: { ...(recorded['properties'] as JsonObject), ...properties } };
}

function inCurrentVersions(kind: string, properties: Record<string, RawSchema>): Record<string, RawSchema> {
  const names = ['v1beta1', 'v1alpha3'].map((version) => `${scheduling}.${version}.${kind}`);
  return Object.fromEntries(names.map((name) => [name, extend(name, properties)]));
}
