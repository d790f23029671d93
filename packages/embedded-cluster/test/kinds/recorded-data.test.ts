import { describe, expect, it } from 'vitest';
import { builtinGroups, definitions, recordedColumns } from '../../src/kinds/extra-kinds.ts';
import { recordedDefinitions, recordedDiscovery, recordedTables } from '../../src/kinds/recorded.ts';
import { schemaFor } from '../../src/kinds/schema-link.ts';
import { isServed, servedResources, unservedSubresources } from '../../src/kinds/served.ts';
import { compareVersions } from '../../src/kinds/version-order.ts';
import { joinApiVersion } from '../../src/objects.ts';

const resources = builtinGroups.flatMap(({ group, versions }) =>
  versions.flatMap(({ version, resources: of }) => of.map((resource) => ({ group, version, resource }))),
);

/** The words that a schema may have; no code would read any other word. */
const keywords = new Set(
  `$ref additionalProperties allOf anyOf default enum format items maxItems maxLength maximum minItems minLength minimum
  nullable oneOf pattern properties required type x-kubernetes-group-version-kind x-kubernetes-list-map-keys
  x-kubernetes-list-type x-kubernetes-map-type x-kubernetes-patch-merge-key x-kubernetes-patch-strategy
  x-kubernetes-unions`.split(/\s+/),
);

function eachSchema(schema: Record<string, unknown>, visit: (schema: Record<string, unknown>) => void): void {
  visit(schema);
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties') for (const of of Object.values(value as object)) eachSchema(of, visit);
    if (key === 'items' || (key === 'additionalProperties' && typeof value === 'object'))
      eachSchema(value as never, visit);
    if (key === 'oneOf' || key === 'anyOf' || key === 'allOf') for (const of of value as never[]) eachSchema(of, visit);
  }
}

describe('the recorded data', () => {
  it('was taken from one release', () => {
    expect(recordedDiscovery.server).toEqual({ major: '1', minor: '37', gitVersion: 'v1.37.1' });
  });

  it('has every resource that is to be served', () => {
    const wanted = Object.entries(servedResources).flatMap(([group, of]) => of.map((name) => `${group}/${name}`));
    expect(new Set(resources.map(({ group, resource }) => `${group}/${resource.name}`))).toEqual(new Set(wanted));
  });

  it('has nothing that is not served', () => {
    for (const { group, resource } of resources) {
      expect(isServed(group, resource.name)).toBe(true);
      for (const { name } of resource.subresources ?? []) expect(unservedSubresources.has(name)).toBe(false);
    }
  });

  it.each(resources.map((of) => [`${joinApiVersion(of.group, of.version)} ${of.resource.name}`, of] as const))(
    'knows the schema, the verbs and the columns of %s',
    (_, { group, version, resource }) => {
      const schema = schemaFor(group, version, resource.kind);
      expect(schema?.['x-kubernetes-group-version-kind']).toContainEqual({ group, version, kind: resource.kind });
      expect(schema?.properties?.['metadata']?.properties?.['ownerReferences']).toBeDefined();
      expect(resource.verbs.length).toBeGreaterThan(0);
      if (!resource.verbs.includes('list')) return;
      expect(schemaFor(group, version, `${resource.kind}List`)?.properties?.['items']).toBeDefined();
      const columns = recordedColumns(joinApiVersion(group, version), resource.name) ?? [];
      expect(columns.map(([name]) => name)).toContain('Name');
    },
  );

  it('refers only to definitions that are there, in known words, without any description', () => {
    for (const [name, definition] of Object.entries(definitions)) {
      eachSchema(definition, (schema) => {
        const reference = schema['$ref'];
        if (reference !== undefined) expect(definitions, `${name} refers to it`).toHaveProperty([String(reference)]);
        for (const word of Object.keys(schema)) expect(keywords, `${name}: ${word}`).toContain(word);
      });
    }
  });

  it('keeps a property that is called description', () => {
    expect(schemaFor('scheduling.k8s.io', 'v1', 'PriorityClass')?.properties?.['description']?.type).toBe('string');
  });

  it('names versions in order of preference', () => {
    for (const { versions } of builtinGroups) {
      const names = versions.map(({ version }) => version);
      expect([...names].sort(compareVersions)).toEqual(names);
    }
  });

  it('has the columns that a real server shows for pods, wide ones with priority 1', () => {
    expect(recordedTables['v1/pods']?.map(([name, , , priority]) => [name, priority])).toEqual([
      ['Name', 0],
      ['Ready', 0],
      ['Status', 0],
      ['Restarts', 0],
      ['Age', 0],
      ['IP', 1],
      ['Node', 1],
      ['Nominated Node', 1],
      ['Readiness Gates', 1],
    ]);
  });

  it('is small', () => {
    const size = [recordedDefinitions, recordedDiscovery, recordedTables].map((of) => JSON.stringify(of).length);
    expect(size.reduce((sum, of) => sum + of)).toBeLessThan(350_000);
  });
});
