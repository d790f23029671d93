import { describe, expect, it } from 'vitest';
import type { Schema } from '../../src/kinds/schema.ts';
import { builtinSchemas, createSchemaLinker, schemaFor } from '../../src/kinds/schema-link.ts';

/** `spec.containers[].ports` */
function at(schema: Schema | undefined, path: string): Schema | undefined {
  return path.split('.').reduce<Schema | undefined>((of, step) => {
    const property = of?.properties?.[step.replace('[]', '')];
    return step.endsWith('[]') ? property?.items : property;
  }, schema);
}

describe('linked schemas', () => {
  it.each([
    ['spec.containers', 'name', 'merge', ['name']],
    ['spec.initContainers', 'name', 'merge', ['name']],
    ['spec.containers[].ports', 'containerPort', 'merge', ['containerPort', 'protocol']],
    ['spec.containers[].env', 'name', 'merge', ['name']],
    ['spec.containers[].volumeMounts', 'mountPath', 'merge', ['mountPath']],
    ['spec.volumes', 'name', 'merge,retainKeys', ['name']],
    ['spec.topologySpreadConstraints', 'topologyKey', 'merge', ['topologyKey', 'whenUnsatisfiable']],
    ['status.conditions', 'type', 'merge', ['type']],
    ['metadata.ownerReferences', 'uid', 'merge', ['uid']],
  ])('know how %s of a pod is merged', (path, mergeKey, strategy, mapKeys) => {
    expect(at(schemaFor('', 'v1', 'Pod'), path)).toMatchObject({
      type: 'array',
      'x-kubernetes-patch-merge-key': mergeKey,
      'x-kubernetes-patch-strategy': strategy,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': mapKeys,
    });
  });

  it('replace the taints of a node as one', () => {
    const taints = at(schemaFor('', 'v1', 'Node'), 'spec.taints');
    expect(taints?.['x-kubernetes-list-type']).toBe('atomic');
    expect(taints).not.toHaveProperty(['x-kubernetes-patch-merge-key']);
  });

  it('share one schema between all who refer to a definition', () => {
    const pod = schemaFor('', 'v1', 'Pod');
    const template = at(schemaFor('apps', 'v1', 'StatefulSet'), 'spec.template.spec');
    expect(at(template, 'containers[]')).toBe(at(pod, 'spec.containers[]'));
    expect(at(pod, 'spec.containers[].disruptionProbe')).toBe(at(pod, 'spec.containers[].readinessProbe'));
  });

  it('are the same object each time', () => {
    expect(schemaFor('', 'v1', 'Pod')).toBe(schemaFor('', 'v1', 'Pod'));
  });

  it('lead in circles where a kind contains itself', () => {
    const schema = at(schemaFor('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition'), 'spec.versions[].schema');
    const properties = at(schema, 'openAPIV3Schema');
    expect(at(properties, 'not')).toBe(properties);
    expect(at(properties, '$ref')?.type).toBe('string');
  });

  it('keep the default that stands beside a reference, and leave the target without it', () => {
    const spec = at(schemaFor('', 'v1', 'Pod'), 'spec');
    expect(spec?.default).toEqual({});
    expect(at(schemaFor('', 'v1', 'Pod'), 'spec.containers[].ports[].protocol')?.default).toBe('TCP');
    expect(builtinSchemas.byName('io.k8s.api.core.v1.PodSpec')).not.toHaveProperty('default');
  });

  it.each([
    ['a number or a text', 'policy', 'PodDisruptionBudget', 'spec.minAvailable', 'x-kubernetes-int-or-string'],
    ['any document', 'apps', 'ControllerRevision', 'data', 'x-kubernetes-preserve-unknown-fields'],
    ['any document', 'apps', 'Deployment', 'metadata.managedFields[].fieldsV1', 'x-kubernetes-preserve-unknown-fields'],
  ] as const)('say that %s may stand in %s %s %s', (_, group, kind, path, word) => {
    expect(at(schemaFor(group, 'v1', kind), path)).toHaveProperty([word], true);
  });

  it('do not take an empty member of a choice for any document', () => {
    const basic = at(schemaFor('scheduling.k8s.io', 'v1beta1', 'PodGroup'), 'spec.schedulingPolicy.basic');
    expect(basic).toEqual({ type: 'object' });
  });

  it.each([
    ['', 'v1', 'Nothing'],
    ['apps', 'v2', 'Deployment'],
    ['', 'v1', 'constructor'],
    ['', '__proto__', 'Pod'],
  ])('are undefined for %s %s %s', (group, version, kind) => {
    expect(schemaFor(group, version, kind)).toBeUndefined();
    expect(builtinSchemas.byName(kind)).toBeUndefined();
  });

  it.each([
    ['workloadRef', ['name', 'podGroup', 'podGroupReplicaKey']],
    ['workload', ['name', 'podGroup', 'podGroupReplicaIndex']],
    ['workloadReference', ['name', 'podGroup', 'podGroupReplicaIndex']],
    ['schedulingGroup', ['podGroupName']],
  ])('let a pod name its group in spec.%s', (field, fields) => {
    expect(Object.keys(at(schemaFor('', 'v1', 'Pod'), `spec.${field}`)?.properties ?? {})).toEqual(fields);
    expect(at(schemaFor('batch', 'v1', 'Job'), `spec.template.spec.${field}`)).toBeDefined();
  });

  it.each(['v1alpha1', 'v1alpha2', 'v1alpha3', 'v1beta1'])(
    'accept the pod groups of every version in %s',
    (version) => {
      const workload = schemaFor('scheduling.k8s.io', version, 'Workload');
      expect(at(workload, 'spec.podGroups[].replicas')?.type).toBe('integer');
      expect(at(workload, 'spec.podGroups[].policy.gang.minCount')?.type).toBe('integer');
      expect(at(workload, 'spec.podGroupTemplates[].schedulingPolicy.gang.minCount')?.type).toBe('integer');
      expect(at(workload, 'spec.controllerRef.kind')?.type).toBe('string');
    },
  );

  it.each([
    ['v1alpha2', 'string'],
    ['v1alpha3', 'object'],
    ['v1beta1', 'object'],
  ])('have the disruption mode of %s as %s', (version, type) => {
    const group = schemaFor('scheduling.k8s.io', version, 'PodGroup');
    expect(at(group, 'spec.disruptionMode')?.type).toBe(type);
    expect(at(group, 'spec.podGroupTemplateRef.workload.podGroupTemplateName')?.type).toBe('string');
    expect(at(group, 'status.conditions')?.['x-kubernetes-list-map-keys']).toEqual(['type']);
  });
});

describe('a linker', () => {
  it('copies a target with words of its own only when the target is complete', () => {
    const linker = createSchemaLinker({
      Node: { type: 'object', properties: { next: { $ref: 'Node', default: {} }, value: { type: 'string' } } },
    });
    const node = linker.byName('Node');
    expect(node?.properties?.['next']?.default).toEqual({});
    expect(node?.properties?.['next']?.properties).toBe(node?.properties);
  });

  it('refuses a reference that leads nowhere', () => {
    const linker = createSchemaLinker({ Broken: { items: { $ref: 'Gone' } } });
    expect(() => linker.byName('Broken')).toThrow('no definition Gone');
  });
});
