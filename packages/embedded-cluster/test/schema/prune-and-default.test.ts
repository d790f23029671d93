import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Schema } from '../../src/kinds/schema.ts';
import { builtinSchemas, schemaFor } from '../../src/kinds/schema-link.ts';
import { clone } from '../../src/objects.ts';
import { applySchemaDefaults } from '../../src/schema/defaults.ts';
import { prune, unknownFieldTexts } from '../../src/schema/prune.ts';
import { validateSchema } from '../../src/schema/validate.ts';

const text: Schema = { type: 'string' };

describe('pruning', () => {
  test.each<[string, Schema, unknown, unknown, string[]]>([
    ['drops unknown fields', { properties: { a: text } }, { a: 'x', b: 1 }, { a: 'x' }, ['b']],
    [
      'names places in lists',
      { properties: { l: { items: { properties: { a: text } } } } },
      { l: [{ a: '' }, { b: 1 }] },
      { l: [{ a: '' }, {}] },
      ['l[1].b'],
    ],
    [
      'keeps the keys of maps',
      { additionalProperties: { properties: { a: text } } },
      { k: { a: '', z: 1 } },
      { k: { a: '' } },
      ['k.z'],
    ],
    ['keeps everything in maps of anything', { additionalProperties: true }, { k: { z: 1 } }, { k: { z: 1 } }, []],
    [
      'keeps unknown fields where told',
      { 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { properties: {} } } },
      { z: { y: 1 }, a: { b: 1 } },
      { z: { y: 1 }, a: {} },
      ['a.b'],
    ],
    [
      'keeps unknown fields of items where told',
      { 'x-kubernetes-preserve-unknown-fields': true, items: { properties: {} } },
      [{ a: 1 }],
      [{ a: 1 }],
      [],
    ],
    [
      'keeps what every resource has in embedded ones',
      { properties: { t: { 'x-kubernetes-embedded-resource': true, properties: {} } } },
      { t: { apiVersion: 'v1', kind: 'A', metadata: { name: 'a', labels: { b: 'c' }, foo: 1 }, spec: {} } },
      { t: { apiVersion: 'v1', kind: 'A', metadata: { name: 'a', labels: { b: 'c' } } } },
      ['t.metadata.foo', 't.spec'],
    ],
    [
      'knows the metadata of embedded resources whatever the schema says of it, and where all else is kept',
      {
        properties: {
          t: {
            'x-kubernetes-embedded-resource': true,
            'x-kubernetes-preserve-unknown-fields': true,
            properties: { metadata: { type: 'object', properties: { foo: text } } },
          },
        },
      },
      { t: { metadata: { namespace: 'n', foo: 'x' }, other: 1 } },
      { t: { metadata: { namespace: 'n' }, other: 1 } },
      ['t.metadata.foo'],
    ],
    [
      'takes no key from a prototype',
      { properties: { a: text } },
      JSON.parse('{"constructor": 1, "__proto__": {"x": 1}}'),
      {},
      ['__proto__', 'constructor'],
    ],
  ])('%s', (_, schema, value, after, dropped) => {
    const draft = structuredClone(value);
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__')) {
      Object.defineProperty(draft, '__proto__', { value: {}, enumerable: true, configurable: true, writable: true });
    }
    expect(prune(draft, schema)).toEqual(dropped);
    expect(draft).toEqual(after);
  });

  test('unknown fields of built-in kinds, in the words of field validation', () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a', foo: 1, labels: { any: 'x' } },
      spec: { containers: [{ name: 'c', resources: { limits: { cpu: 1, 'example.com/x': '2' } }, imag: 'x' }] },
    };
    expect(unknownFieldTexts(prune(pod, schemaFor('', 'v1', 'Pod')))).toEqual([
      'unknown field "metadata.foo"',
      'unknown field "spec.containers[0].imag"',
    ]);
    expect(pod.spec.containers[0]?.resources.limits).toEqual({ cpu: 1, 'example.com/x': '2' });
  });

  test('documents inside documents are not touched', () => {
    const revision = { data: { any: { thing: [1] } }, metadata: { managedFields: [{ fieldsV1: { 'f:a': {} } }] } };
    expect(prune(clone(revision), builtinSchemas.byKind('apps', 'v1', 'ControllerRevision'))).toEqual([]);
  });
});

describe('defaulting', () => {
  test.each<[string, Schema, unknown, unknown]>([
    ['fills in what is missing', { properties: { a: { default: 1 } } }, {}, { a: 1 }],
    ['leaves what is there', { properties: { a: { default: 1 } } }, { a: 0 }, { a: 0 }],
    [
      'fills in defaults inside a default',
      { properties: { a: { default: {}, properties: { b: { default: 1 } } } } },
      {},
      { a: { b: 1 } },
    ],
    ['creates no object for a default inside it', { properties: { a: { properties: { b: { default: 1 } } } } }, {}, {}],
    [
      'fills in items and maps',
      {
        properties: {
          l: { items: { properties: { b: { default: 1 } } } },
          m: { additionalProperties: { properties: { b: { default: 1 } } } },
        },
      },
      { l: [{}], m: { k: {} } },
      { l: [{ b: 1 }], m: { k: { b: 1 } } },
    ],
    ['a null becomes the default', { properties: { a: { default: 1 } } }, { a: null }, { a: 1 }],
    ['a null without default goes', { properties: { a: { type: 'string' } } }, { a: null }, {}],
    ['a null that is allowed stays', { properties: { a: { nullable: true, default: 1 } } }, { a: null }, { a: null }],
    [
      'a null in a list stays to be refused',
      { properties: { l: { items: { type: 'string' } } } },
      { l: [null] },
      { l: [null] },
    ],
  ])('%s', (_, schema, value, after) => {
    applySchemaDefaults(value, schema);
    expect(value).toEqual(after);
  });

  test('a default under the name of the prototype is a field like others', () => {
    const schema: Schema = { properties: JSON.parse('{"__proto__": {"default": {"polluted": true}}}') };
    const draft: Record<string, unknown> = {};
    applySchemaDefaults(draft, schema);
    expect(Object.hasOwn(draft, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(draft)).toBe(Object.prototype);
  });

  test('defaults are copies', () => {
    const schema: Schema = { properties: { a: { default: { l: [] } } } };
    const [first, second] = [{}, {}] as { a?: { l: number[] } }[];
    applySchemaDefaults(first, schema);
    first?.a?.l.push(1);
    applySchemaDefaults(second, schema);
    expect(second).toEqual({ a: { l: [] } });
  });
});

const leaf = fc.constantFrom<Schema>(
  { type: 'string', default: 'd' },
  { type: 'integer' },
  { type: 'boolean', nullable: true },
  { 'x-kubernetes-int-or-string': true },
  { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
);
const { schema: anySchema } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    leaf,
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'), { maxKeys: 3 }),
    }),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc.record({ type: fc.constant('object'), additionalProperties: tie('schema') }),
  ),
}));
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom(null, 1, 1.5, 'x', true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', '__proto__'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

describe('for any schema and value', () => {
  test('pruning twice is pruning once', () => {
    fc.assert(
      fc.property(anySchema, anyValue, (schema, value) => {
        const once = JSON.parse(JSON.stringify(value));
        prune(once, schema);
        const twice = JSON.parse(JSON.stringify(once));
        expect(prune(twice, schema)).toEqual([]);
        expect(twice).toEqual(once);
      }),
    );
  });

  test('defaulting twice is defaulting once', () => {
    fc.assert(
      fc.property(anySchema, anyValue, (schema, value) => {
        const once = JSON.parse(JSON.stringify(value));
        applySchemaDefaults(once, schema);
        const twice = JSON.parse(JSON.stringify(once));
        applySchemaDefaults(twice, schema);
        expect(twice).toEqual(once);
      }),
    );
  });

  test('what is valid stays valid', () => {
    fc.assert(
      fc.property(anySchema, anyValue, (schema, value) => {
        const draft = JSON.parse(JSON.stringify(value));
        fc.pre(validateSchema(draft, schema).length === 0);
        prune(draft, schema);
        applySchemaDefaults(draft, schema);
        expect(validateSchema(draft, schema)).toEqual([]);
      }),
    );
  });
});
