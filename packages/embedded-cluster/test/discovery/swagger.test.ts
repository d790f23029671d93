import { describe, expect, it } from 'vitest';
import { createSwagger } from '../../src/discovery/swagger.ts';
import { swaggerDefinition, swaggerSchema } from '../../src/discovery/swagger-schemas.ts';
import { createResourceTypes } from '../../src/kinds/resource-types.ts';
import { customType } from '../kinds/custom-type.ts';

interface Swagger {
  readonly swagger: string;
  readonly paths: Record<string, Record<string, { parameters: object[]; responses: object; consumes: string[] }>>;
  readonly definitions: Record<string, { properties?: Record<string, unknown> }>;
}

function setup() {
  const types = createResourceTypes({ strategies: new Map(), cells: new Map() });
  const swagger = createSwagger(types);
  return { types, swagger, read: () => JSON.parse(String(swagger('json').body)) as Swagger };
}

function pointers(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, of]) => (key === '$ref' && typeof of === 'string' ? [of] : pointers(of)));
}

describe('the one document of OpenAPI 2', () => {
  it('has everything that it refers to', () => {
    const document = setup().read();
    const named = new Set(Object.keys(document.definitions).map((name) => `#/definitions/${name}`));
    expect(pointers(document).filter((pointer) => !named.has(pointer))).toEqual([]);
    expect(document.swagger).toBe('2.0');
    expect(document.definitions['io.k8s.apimachinery.pkg.util.intstr.IntOrString']).toEqual({
      type: 'string',
      format: 'int-or-string',
    });
  });

  it('has bodies among the parameters, and schemas in the answers', () => {
    const { paths } = setup().read();
    const patch = paths['/api/v1/namespaces/{namespace}/pods/{name}']?.['patch'];
    const pod = { $ref: '#/definitions/io.k8s.api.core.v1.Pod' };
    expect(patch).toMatchObject({
      consumes: expect.arrayContaining(['application/strategic-merge-patch+json']),
      responses: { '200': { description: 'OK', schema: pod }, '401': { description: 'Unauthorized' } },
    });
    expect(patch?.parameters).toEqual(
      expect.arrayContaining([
        { name: 'body', in: 'body', required: true, schema: { $ref: expect.stringContaining('meta.v1.Patch') } },
        { name: 'force', in: 'query', type: 'boolean', uniqueItems: true },
      ]),
    );
    expect(paths['/api/v1/namespaces/{namespace}/pods']?.['parameters']).toContainEqual({
      name: 'namespace',
      in: 'path',
      required: true,
      type: 'string',
    });
  });

  it('is another one when a custom kind comes, and the same while none does', () => {
    const { types, swagger, read } = setup();
    const before = swagger('json');
    expect(swagger('json')).toBe(before);
    const inProtobuf = swagger('protobuf');
    expect(swagger('protobuf')).toBe(inProtobuf);
    types.replaceCustom('widgets.example.com', [customType()]);
    expect(swagger('json').etag).not.toBe(before.etag);
    expect(swagger('protobuf').etag).not.toBe(inProtobuf.etag);
    expect(read().definitions['com.example.v1.Widget']).toBeDefined();
  });
});

describe('a schema in the words of OpenAPI 2', () => {
  const text = { type: 'string' };
  it.each([
    ['has no alternatives', { type: 'object', oneOf: [{ required: ['a'] }], not: {} }, { type: 'object' }],
    ['has no type where it may be null', { type: 'object', nullable: true, properties: { a: text } }, {}],
    [
      'requires nothing that may be null',
      { type: 'object', required: ['a', 'b'], properties: { a: { ...text, nullable: true }, b: text } },
      { type: 'object', required: ['b'], properties: { a: {}, b: text } },
    ],
    [
      'has no fields beside unknown ones',
      { properties: { a: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { b: text } } } },
      { properties: { a: { 'x-kubernetes-preserve-unknown-fields': true } } },
    ],
    ['has no list without items', { type: 'array' }, {}],
    [
      'goes on inside',
      { items: { additionalProperties: { $ref: 'X' } } },
      { items: { additionalProperties: { $ref: '#/definitions/X' } } },
    ],
  ])('%s', (_what, schema, expected) => expect(swaggerSchema(schema)).toEqual(expected));

  it('has no defaults where the kind is built in', () => {
    expect(swaggerDefinition({ properties: { a: { $ref: 'X', default: {} }, b: { ...text, default: '' } } })).toEqual({
      properties: { a: { $ref: '#/definitions/X' }, b: text },
    });
  });
});
