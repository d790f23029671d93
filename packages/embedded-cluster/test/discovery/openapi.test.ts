import { describe, expect, it } from 'vitest';
import { createOpenApi, type OpenApi } from '../../src/discovery/openapi.ts';
import { createResourceTypes } from '../../src/kinds/resource-types.ts';
import { customType } from '../kinds/custom-type.ts';

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Record<string, { schema: unknown }> };
  readonly responses: Record<string, { content: Record<string, { schema: unknown }> }>;
  readonly 'x-kubernetes-action': string;
  readonly 'x-kubernetes-group-version-kind': unknown;
}

interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, { properties: Record<string, unknown> }> };
}

function setup() {
  const types = createResourceTypes({ strategies: new Map(), cells: new Map() });
  return { types, openApi: createOpenApi(types) };
}

function urls(openApi: OpenApi): Record<string, string> {
  const { paths } = JSON.parse(String(openApi.index().body)) as {
    paths: Record<string, { serverRelativeURL: string }>;
  };
  return Object.fromEntries(Object.entries(paths).map(([path, { serverRelativeURL }]) => [path, serverRelativeURL]));
}

function read(openApi: OpenApi, path: string): Document {
  const found = openApi.document(path, undefined);
  if (found.kind !== 'found') throw new Error(`${path}: ${found.kind}`);
  return JSON.parse(String(found.answer.body)) as Document;
}

function pointers(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, of]) => (key === '$ref' && typeof of === 'string' ? [of] : pointers(of)));
}

describe('the OpenAPI index', () => {
  const { openApi } = setup();

  it('names a document for every version', () => {
    expect(Object.keys(urls(openApi))).toContain('api/v1');
    expect(Object.keys(urls(openApi))).toContain('apis/scheduling.k8s.io/v1alpha1');
    expect(openApi.index().contentType).toBe('application/json');
  });

  it('leads to documents that may be kept for good', () => {
    for (const [path, url] of Object.entries(urls(openApi))) {
      const { pathname, searchParams } = new URL(url, 'http://server');
      expect(pathname).toBe(`/openapi/v3/${path}`);
      expect(openApi.document(path, searchParams.get('hash') ?? '')).toMatchObject({ kind: 'found', immutable: true });
    }
  });
});

describe('an OpenAPI document', () => {
  const { openApi } = setup();
  const core = read(openApi, 'api/v1');

  it.each(Object.keys(urls(openApi)))('of %s contains all that it points to and nothing else', (path) => {
    const document = read(openApi, path);
    const pointed = new Set(pointers(document));
    const there = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect(pointed).toEqual(new Set(there));
  });

  it('says of which release it is', () => {
    expect([core.openapi, core.info.version]).toEqual(['3.0.0', '1.37']);
  });

  it.each([
    ['get', '/api/v1/namespaces/{namespace}/pods', 'list'],
    ['get', '/api/v1/pods', 'list'],
    ['post', '/api/v1/namespaces/{namespace}/pods', 'post'],
    ['delete', '/api/v1/namespaces/{namespace}/pods', 'deletecollection'],
    ['get', '/api/v1/namespaces/{namespace}/pods/{name}', 'get'],
    ['put', '/api/v1/namespaces/{namespace}/pods/{name}', 'put'],
    ['patch', '/api/v1/namespaces/{namespace}/pods/{name}', 'patch'],
    ['delete', '/api/v1/namespaces/{namespace}/pods/{name}', 'delete'],
    ['patch', '/api/v1/namespaces/{namespace}/pods/{name}/status', 'patch'],
  ])('knows %s %s as the action %s on pods', (method, path, action) => {
    expect(core.paths[path]?.[method]).toMatchObject({
      'x-kubernetes-action': action,
      'x-kubernetes-group-version-kind': { group: '', version: 'v1', kind: 'Pod' },
    });
  });

  it('knows the kind of a subresource where it is another one', () => {
    expect(core.paths['/api/v1/namespaces/{namespace}/pods/{name}/eviction']?.['post']).toMatchObject({
      'x-kubernetes-action': 'post',
      'x-kubernetes-group-version-kind': { group: 'policy', version: 'v1', kind: 'Eviction' },
    });
    expect(core.paths['/api/v1/namespaces/{namespace}/pods/{name}/exec']?.['post']?.['x-kubernetes-action']).toBe(
      'connect',
    );
  });

  it('has no path for what a resource cannot do', () => {
    expect(core.paths['/api/v1/namespaces/{namespace}/bindings/{name}']).toBeUndefined();
    expect(core.paths['/api/v1/namespaces']?.['delete']).toBeUndefined();
    expect(core.paths['/api/v1/namespaces/{namespace}/nodes']).toBeUndefined();
  });

  it.each([
    ['patch', '{name}', ['dryRun', 'fieldManager', 'fieldValidation', 'force']],
    ['put', '{name}', ['dryRun', 'fieldManager', 'fieldValidation']],
    ['delete', '{name}', ['dryRun', 'gracePeriodSeconds', 'orphanDependents', 'propagationPolicy']],
  ])('tells the parameters of %s', (method, item, names) => {
    const operation = core.paths[`/api/v1/namespaces/{namespace}/pods/${item}`]?.[method];
    expect(operation?.parameters.map(({ name }) => name)).toEqual(names);
  });

  it('says nothing of what is empty, so that it reads the same when it was read and written', () => {
    expect(core.paths['/api/v1/namespaces/{namespace}/pods/{name}']?.['get']).not.toHaveProperty('parameters');
    expect(JSON.stringify(core.paths)).not.toMatch(/\[\]|\{\}|:null/);
  });

  it('tells which patches there are', () => {
    const operation = core.paths['/api/v1/namespaces/{namespace}/pods/{name}']?.['patch'];
    expect(Object.keys(operation?.requestBody?.content ?? {})).toContain('application/strategic-merge-patch+json');
  });

  it('moves a reference that has neighbours into allOf', () => {
    const { Pod, PodSpec } = Object.fromEntries(
      ['Pod', 'PodSpec'].map((kind) => [kind, core.components.schemas[`io.k8s.api.core.v1.${kind}`]]),
    );
    expect(Pod?.properties['spec']).toEqual({
      default: {},
      allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.PodSpec' }],
    });
    expect(PodSpec?.properties['affinity']).toEqual({ $ref: '#/components/schemas/io.k8s.api.core.v1.Affinity' });
  });

  it('keeps a property that is called $ref', () => {
    const { schemas } = read(openApi, 'apis/apiextensions.k8s.io/v1').components;
    const props = schemas['io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps'];
    expect(props?.properties['$ref']).toEqual({ type: 'string' });
  });

  it.each(['api/v9', 'apis/nothing/v1', '', '__proto__'])('is missing at %s', (path) => {
    expect(openApi.document(path, undefined)).toEqual({ kind: 'missing' });
  });

  it('has moved for a client with an old hash', () => {
    expect(openApi.document('apis/apps/v1', 'OLD')).toEqual({ kind: 'moved', location: urls(openApi)['apis/apps/v1'] });
  });
});

describe('the metadata of every object', () => {
  it('is described, field by field', () => {
    const { openApi } = setup();
    const metadata = read(openApi, 'api/v1').components.schemas['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'];
    const fields = Object.entries((metadata as { properties: Record<string, { description?: string }> }).properties);
    expect(fields.length).toBeGreaterThan(10);
    expect(fields.filter(([, { description = '' }]) => description === '')).toEqual([]);
  });
});

describe('the OpenAPI document of a custom kind', () => {
  it('has its schema with the metadata of every object, its list, and no strategic merge', () => {
    const { types, openApi } = setup();
    types.replaceCustom('widgets.example.com', [customType()]);
    const { components, paths } = read(openApi, 'apis/example.com/v1');
    expect(components.schemas['com.example.v1.Widget']).toEqual({
      type: 'object',
      properties: {
        apiVersion: { type: 'string', description: expect.stringContaining('in which version') },
        kind: { type: 'string', description: expect.stringContaining('what the object is') },
        metadata: {
          description: expect.stringContaining('metadata'),
          allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }],
        },
        spec: { type: 'object', properties: { size: { type: 'integer' } } },
      },
      'x-kubernetes-group-version-kind': [{ group: 'example.com', version: 'v1', kind: 'Widget' }],
    });
    expect(components.schemas['com.example.v1.WidgetList']?.properties['items']).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/com.example.v1.Widget' },
    });
    const patch = paths['/apis/example.com/v1/namespaces/{namespace}/widgets/{name}']?.['patch'];
    expect(Object.keys(patch?.requestBody?.content ?? {})).toEqual([
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
    ]);
    expect(patch?.parameters.map(({ name }) => name)).toContain('fieldValidation');
  });

  it('accepts anything where the CRD has no schema', () => {
    const { types, openApi } = setup();
    types.replaceCustom('widgets.example.com', [customType({ schema: undefined })]);
    const { components } = read(openApi, 'apis/example.com/v1');
    expect(components.schemas['com.example.v1.Widget']).toHaveProperty(['x-kubernetes-preserve-unknown-fields'], true);
  });

  it('changes its hash with the schema, and no other', () => {
    const { types, openApi } = setup();
    types.replaceCustom('widgets.example.com', [customType()]);
    const before = urls(openApi);
    types.replaceCustom('widgets.example.com', [customType({ schema: { type: 'object' } })]);
    const after = urls(openApi);
    expect(Object.keys(after).filter((path) => after[path] !== before[path])).toEqual(['apis/example.com/v1']);
    types.removeCustom('widgets.example.com');
    expect(urls(openApi)).not.toHaveProperty(['apis/example.com/v1']);
    expect(openApi.document('apis/example.com/v1', undefined).kind).toBe('missing');
  });
});
