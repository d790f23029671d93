import { describe, expect, it } from 'vitest';
import { createSwagger } from '../../src/discovery/swagger.ts';
import { swaggerProtobuf } from '../../src/discovery/swagger-protobuf.ts';
import { createResourceTypes } from '../../src/kinds/resource-types.ts';
import { bytesOf, doubleOf, fieldOf, fieldsWith, numberOf, textOf } from '../../src/protobuf/wire-values.ts';

/** What lies under these numbers, one within the other. */
function at(bytes: Buffer, ...numbers: readonly number[]): Buffer {
  return numbers.reduce((inner, number) => {
    const field = fieldOf(inner, number);
    if (!field) throw new Error(`there is no field ${number} in ${numbers.join('.')}`);
    return bytesOf(field);
  }, bytes);
}

function named(bytes: Buffer, number: number): Map<string, Buffer> {
  return new Map(
    [...fieldsWith(bytes, number)].map((field) => [textOf(fieldOf(bytesOf(field), 1)), at(bytesOf(field), 2)]),
  );
}

function texts(bytes: Buffer, number: number): string[] {
  return [...fieldsWith(bytes, number)].map(textOf);
}

/** Extensions, which are said in YAML; ours is JSON. */
function extensions(bytes: Buffer, number: number): Map<string, unknown> {
  return new Map([...named(bytes, number)].map(([name, any]) => [name, JSON.parse(textOf(fieldOf(any, 2)))]));
}

function document(): Buffer {
  const types = createResourceTypes({ strategies: new Map(), cells: new Map() });
  return createSwagger(types)('protobuf').body as Buffer;
}

function schemaOf(schema: object): Buffer {
  const [only] = named(at(swaggerProtobuf({ definitions: { X: schema } }), 9), 1).values();
  if (!only) throw new Error('there is no schema');
  return only;
}

describe('the document of OpenAPI 2 in protobuf', () => {
  it('has the definitions that it has in JSON, by which clients know kinds', () => {
    const types = createResourceTypes({ strategies: new Map(), cells: new Map() });
    const inJson = JSON.parse(String(createSwagger(types)('json').body)) as { definitions: object; paths: object };
    const definitions = named(at(document(), 9), 1);
    expect([...definitions.keys()]).toEqual(Object.keys(inJson.definitions));
    expect([...named(at(document(), 8), 2).keys()]).toEqual(Object.keys(inJson.paths));
    const pod = definitions.get('io.k8s.api.core.v1.Pod') as Buffer;
    const kind = [{ group: '', kind: 'Pod', version: 'v1' }];
    expect(extensions(pod, 31).get('x-kubernetes-group-version-kind')).toEqual(kind);
    const spec = named(at(pod, 25), 1).get('spec') as Buffer;
    expect(textOf(fieldOf(spec, 1))).toBe('#/definitions/io.k8s.api.core.v1.PodSpec');
  });

  it('says how lists are merged', () => {
    const definitions = named(at(document(), 9), 1);
    const fields = named(at(definitions.get('io.k8s.api.core.v1.PodSpec') as Buffer, 25), 1);
    const containers = fields.get('containers') as Buffer;
    expect(texts(at(containers, 22), 1)).toEqual(['array']);
    expect(extensions(containers, 31).get('x-kubernetes-patch-merge-key')).toBe('name');
    expect(textOf(fieldOf(at(containers, 23, 1), 1))).toBe('#/definitions/io.k8s.api.core.v1.Container');
  });

  it('says what a patch may be, and of which kind', () => {
    const path = named(at(document(), 8), 2).get('/api/v1/namespaces/{namespace}/pods/{name}') as Buffer;
    const patch = at(path, 8);
    expect(texts(patch, 7)).toContain('application/strategic-merge-patch+json');
    expect(extensions(patch, 13).get('x-kubernetes-group-version-kind')).toMatchObject({ kind: 'Pod' });
    const places = [...fieldsWith(patch, 8)].map((field) => at(bytesOf(field), 1));
    const body = places.find((place) => fieldOf(place, 1)) as Buffer;
    expect(textOf(fieldOf(at(body, 1), 2))).toBe('body');
    const inQuery = places.filter((place) => fieldOf(place, 2)).map((place) => textOf(fieldOf(at(place, 2, 3), 4)));
    expect(inQuery).toContain('force');
    const atPath = [...fieldsWith(path, 9)].map((field) => at(bytesOf(field), 1, 2));
    const inPath = atPath.filter((place) => fieldOf(place, 4)).map((place) => textOf(fieldOf(at(place, 4), 4)));
    expect(inPath.sort()).toEqual(['name', 'namespace']);
    const ok = named(at(patch, 9), 1).get('200') as Buffer;
    expect(textOf(fieldOf(at(ok, 1, 2, 1), 1))).toBe('#/definitions/io.k8s.api.core.v1.Pod');
  });

  it('knows the words of custom schemas', () => {
    const schema = schemaOf({
      type: 'object',
      description: 'a thing',
      default: { a: 1 },
      maximum: 2.5,
      exclusiveMaximum: true,
      minLength: 3,
      pattern: '^a',
      required: ['a', 'b'],
      enum: ['x', 1],
      'x-kubernetes-int-or-string': true,
    });
    expect(textOf(fieldOf(schema, 4))).toBe('a thing');
    expect(textOf(fieldOf(at(schema, 5), 2))).toBe('{"a":1}\n');
    expect(doubleOf(fieldOf(schema, 7) as never)).toBe(2.5);
    expect(numberOf(fieldOf(schema, 8))).toBe(1);
    expect(numberOf(fieldOf(schema, 12))).toBe(3);
    expect(textOf(fieldOf(schema, 13))).toBe('^a');
    expect(texts(schema, 19)).toEqual(['a', 'b']);
    expect([...fieldsWith(schema, 20)].map((any) => textOf(fieldOf(bytesOf(any), 2)))).toEqual(['"x"\n', '1\n']);
    expect(extensions(schema, 31).get('x-kubernetes-int-or-string')).toBe(true);
  });

  it('tells a schema of other fields from leave to have them', () => {
    const described = schemaOf({ additionalProperties: { type: 'string' } });
    expect(texts(at(described, 21, 1, 22), 1)).toEqual(['string']);
    const allowed = at(schemaOf({ additionalProperties: true }), 21);
    expect(numberOf(fieldOf(allowed, 2))).toBe(1);
  });
});
