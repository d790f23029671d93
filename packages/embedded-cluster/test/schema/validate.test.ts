import { describe, expect, test } from 'vitest';
import { formatFieldError } from '../../../base/src/field-errors.ts';
import type { Schema } from '../../src/kinds/schema.ts';
import { embeddedResourceErrors } from '../../src/schema/embedded.ts';
import { listTypeErrors } from '../../src/schema/list-types.ts';
import { validateSchema } from '../../src/schema/validate.ts';

function problems(field: Schema, value: unknown, old?: unknown): string[] {
  const schema: Schema = { type: 'object', properties: { spec: { type: 'object', properties: { x: field } } } };
  const before = old === undefined ? {} : { old: { spec: { x: old } } };
  return validateSchema({ spec: { x: value } }, schema, before).map(formatFieldError);
}

const intOrString: Schema = { 'x-kubernetes-int-or-string': true };

describe('texts of the real server', () => {
  test.each<[string, Schema, unknown, string[]]>([
    [
      'type',
      { type: 'integer' },
      'string',
      ['spec.x: Invalid value: "string": spec.x in body must be of type integer: "string"'],
    ],
    [
      'a fraction is no integer',
      { type: 'integer' },
      1.5,
      ['spec.x: Invalid value: "number": spec.x in body must be of type integer: "number"'],
    ],
    ['an integer is a number', { type: 'number' }, 1, []],
    [
      'list for object',
      { type: 'object' },
      [],
      ['spec.x: Invalid value: "array": spec.x in body must be of type object: "array"'],
    ],
    [
      'null',
      { type: 'string' },
      null,
      ['spec.x: Invalid value: "null": spec.x in body must be of type string: "null"'],
    ],
    ['nullable', { type: 'string', nullable: true }, null, []],
    [
      'int or string',
      intOrString,
      true,
      ['spec.x: Invalid value: "boolean": spec.x in body must be of type integer,string: "boolean"'],
    ],
    ['int or string takes both', { type: 'array', items: intOrString }, [1, '30%'], []],
    [
      'number for a formatted string',
      { type: 'string', format: 'date-time' },
      3,
      ['spec.x: Invalid value: "int64": spec.x in body must be of type date-time: "int64"'],
    ],
    [
      'format',
      { type: 'string', format: 'date-time' },
      'x',
      ['spec.x: Invalid value: "x": spec.x in body must be of type date-time: "x"'],
    ],
    ['unknown formats are not checked', { type: 'string', format: 'whatever' }, 'x', []],
    [
      'int32',
      { type: 'integer', format: 'int32' },
      2 ** 31,
      ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.x'],
    ],
    ['required', { type: 'object', required: ['a'] }, {}, ['spec.x.a: Required value']],
    ['enum', { type: 'string', enum: ['a', 'b'] }, 'c', ['spec.x: Unsupported value: "c": supported values: "a", "b"']],
    [
      'enum of numbers',
      { type: 'integer', enum: [1, 2] },
      3,
      ['spec.x: Unsupported value: 3: supported values: "1", "2"'],
    ],
    [
      'pattern',
      { type: 'string', pattern: '^a$' },
      'b',
      ['spec.x: Invalid value: "b": spec.x in body should match \'^a$\''],
    ],
    [
      'minimum',
      { type: 'integer', minimum: 1 },
      0,
      ['spec.x: Invalid value: 0: spec.x in body should be greater than or equal to 1'],
    ],
    [
      'exclusive minimum',
      { type: 'integer', minimum: 1, exclusiveMinimum: true },
      1,
      ['spec.x: Invalid value: 1: spec.x in body should be greater than 1'],
    ],
    [
      'maximum',
      { type: 'integer', maximum: 1 },
      2,
      ['spec.x: Invalid value: 2: spec.x in body should be less than or equal to 1'],
    ],
    [
      'exclusive maximum',
      { type: 'number', maximum: 1, exclusiveMaximum: true },
      1,
      ['spec.x: Invalid value: 1: spec.x in body should be less than 1'],
    ],
    [
      'multiple',
      { type: 'integer', multipleOf: 5 },
      7,
      ['spec.x: Invalid value: 7: spec.x in body should be a multiple of 5'],
    ],
    ['too long', { type: 'string', maxLength: 2 }, 'äöü', ['spec.x: Too long: may not be more than 2 bytes']],
    ['characters count, not bytes', { type: 'string', maxLength: 3 }, 'äö😀', []],
    [
      'too short',
      { type: 'string', minLength: 2 },
      'a',
      ['spec.x: Invalid value: "a": spec.x in body should be at least 2 chars long'],
    ],
    ['too many items', { type: 'array', maxItems: 2 }, [1, 2, 3], ['spec.x: Too many: 3: must have at most 2 items']],
    [
      'too few items',
      { type: 'array', minItems: 1 },
      [],
      ['spec.x: Invalid value: 0: spec.x in body should have at least 1 items'],
    ],
    [
      'items',
      { type: 'array', items: { type: 'string' } },
      ['a', 1],
      ['spec.x[1]: Invalid value: "integer": spec.x[1] in body must be of type string: "integer"'],
    ],
    [
      'unique items',
      { type: 'array', uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      ['spec.x: Invalid value: "": spec.x in body shouldn\'t contain duplicates'],
    ],
    [
      'too many properties',
      { type: 'object', maxProperties: 1 },
      { a: 1, b: 2 },
      ['spec.x: Too many: 2: must have at most 1 item'],
    ],
    [
      'too few properties',
      { type: 'object', minProperties: 1 },
      {},
      ['spec.x: Invalid value: 0: spec.x in body should have at least 1 properties'],
    ],
    [
      'additional properties',
      { type: 'object', additionalProperties: { type: 'string' } },
      { k: 1 },
      ['spec.x.k: Invalid value: "integer": spec.x.k in body must be of type string: "integer"'],
    ],
    [
      'no additional properties',
      { type: 'object', additionalProperties: false },
      { k: 1 },
      ['spec.x: Invalid value: "k": spec.x.k in body is a forbidden property'],
    ],
    [
      'anyOf',
      { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      {},
      ['<nil>: Invalid value: "": "spec.x" must validate at least one schema (anyOf)', 'spec.x.a: Required value'],
    ],
    [
      'oneOf, none',
      { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      {},
      [
        '<nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found none valid',
        'spec.x.a: Required value',
      ],
    ],
    [
      'oneOf, two',
      { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      { a: 1, b: 1 },
      ['<nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    ],
    [
      'allOf',
      { type: 'string', allOf: [{ minLength: 1 }, { pattern: '^b' }] },
      'a',
      [
        'spec.x: Invalid value: "a": spec.x in body should match \'^b\'',
        '<nil>: Invalid value: "": "spec.x" must validate all the schemas (allOf)',
      ],
    ],
    [
      'not',
      { type: 'string', not: { enum: ['a'] } },
      'a',
      ['<nil>: Invalid value: "": "spec.x" must not validate the schema (not)'],
    ],
    [
      'keys of prototypes',
      { type: 'object', properties: { constructor: { type: 'string' } }, required: ['toString'] },
      JSON.parse('{"__proto__": 1}'),
      ['spec.x.toString: Required value'],
    ],
  ])('%s', (_, schema, value, expected) => {
    expect(problems(schema, value)).toEqual(expected);
  });
});

test.each([
  [
    'date-time',
    ['2026-01-02T03:04:05Z', '2026-01-02t03:04:05.678+01:00'],
    ['2026-02-30T00:00:00Z', '2026-01-02', '2026-01-02T25:00:00Z'],
  ],
  ['date', ['2024-02-29'], ['2025-02-29', '20250101']],
  ['duration', ['1h30m', '1.5s', '0'], ['1', 'h', '1 h']],
  ['byte', ['YWI=', ''], ['a', '?']],
  ['uuid', ['123e4567-e89b-12d3-a456-426614174000'], ['123']],
  ['ipv4', ['10.0.0.1'], ['::1', 'x']],
  ['ipv6', ['::1'], ['10.0.0.1']],
  ['cidr', ['10.0.0.0/8'], ['10.0.0.0']],
  ['hostname', ['a.example.com'], ['-a', 'a..b']],
  ['email', ['a@b.c', 'A B <a@b.c>'], ['a', 'a@', 'a b@c']],
  ['uri', ['https://a.b/c', '/x'], ['no uri']],
])('format %s', (format, good, bad) => {
  for (const text of good) expect(problems({ type: 'string', format }, text)).toEqual([]);
  for (const text of bad) expect(problems({ type: 'string', format }, text)).toHaveLength(1);
});

describe('what was wrong before', () => {
  const list: Schema = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    items: { type: 'object', properties: { name: { type: 'string' }, n: { type: 'integer', maximum: 1 } } },
  };

  test('stays allowed while it does not change', () => {
    expect(problems({ type: 'integer', maximum: 1 }, 5, 5)).toEqual([]);
    expect(problems({ type: 'integer', maximum: 1 }, 6, 5)).toHaveLength(1);
  });

  test('is found again in lists with keys, wherever the item stands', () => {
    expect(
      problems(
        list,
        [
          { name: 'new', n: 1 },
          { name: 'a', n: 5 },
        ],
        [{ name: 'a', n: 5 }],
      ),
    ).toEqual([]);
    expect(problems(list, [{ name: 'b', n: 5 }], [{ name: 'a', n: 5 }])).toHaveLength(1);
  });

  test('is not found again in lists without keys', () => {
    const { 'x-kubernetes-list-type': _, ...atomic } = list;
    expect(problems(atomic, [{ n: 5 }, { n: 1 }], [{ n: 5 }])).toHaveLength(1);
  });
});

describe('list types', () => {
  const lists: Schema = {
    type: 'object',
    properties: {
      set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      map: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a', 'b'],
        items: { type: 'object' },
      },
    },
    additionalProperties: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
  };

  test.each<[string, unknown, string[]]>([
    ['a set', { set: ['a', 'b', 'a', 'a'] }, ['set[2]: Duplicate value: "a"']],
    [
      'a list with keys',
      { map: [{ a: 1, b: 2, c: 3 }, { a: 1 }, { b: 2, a: 1 }] },
      ['map[2]: Duplicate value: {"a":1,"b":2}'],
    ],
    [
      'something else in a list with keys',
      { map: ['x'] },
      ['map[0]: Invalid value: "x": must be an object for an array of list-type map'],
    ],
    ['a list in a map', { other: ['a', 'a'] }, ['[other][1]: Duplicate value: "a"']],
  ])('%s', (_, value, expected) => {
    expect(listTypeErrors(value, lists).map(formatFieldError)).toEqual(expected);
  });
});

test('resources inside a resource name their type', () => {
  const schema: Schema = {
    type: 'object',
    properties: {
      template: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
    },
  };
  const check = (template: unknown) => embeddedResourceErrors({ template }, schema).map(formatFieldError);
  expect(check({ apiVersion: 'v1', kind: 'Pod', metadata: {} })).toEqual([]);
  expect(check({ kind: 1, metadata: 'x' })).toEqual([
    'template.apiVersion: Required value',
    'template.kind: Invalid value: 1: must be a string',
    'template.metadata: Invalid value: "x": must be an object',
  ]);
  expect(check({ apiVersion: 'a/b/c', kind: '' })).toEqual([
    'template.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    'template.kind: Invalid value: "": must not be empty',
  ]);
});

test('a document with more errors than a call has arguments is refused like any other', () => {
  const list = new Array(200_000).fill(1);
  expect(problems({ type: 'array', items: { type: 'string' } }, list)).toHaveLength(list.length);
});
