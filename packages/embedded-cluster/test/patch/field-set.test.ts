import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareObjects } from '../../src/patch/fields/field-compare.ts';
import {
  decodeFields,
  difference,
  differenceBelow,
  type FieldSet,
  intersection,
  printMembers,
  sameSet,
  union,
} from '../../src/patch/fields/field-set.ts';
import { fieldSetOf } from '../../src/patch/fields/field-set-of.ts';
import type { JsonMap } from '../../src/patch/json-tree.ts';
import { podSchema, serviceSchema } from './schemas.ts';

const spec = (fields: JsonMap): JsonMap => ({ spec: fields });

const sets: readonly [string, JsonMap, unknown][] = [
  ['a scalar', spec({ nodeName: 'n' }), { 'f:spec': { 'f:nodeName': {} } }],
  [
    'the keys of a map, not the map',
    { metadata: { labels: { b: '1', a: '2' } } },
    { 'f:metadata': { 'f:labels': { 'f:a': {}, 'f:b': {} } } },
  ],
  ['an empty map', { metadata: { labels: {} } }, { 'f:metadata': { 'f:labels': {} } }],
  ['an atomic map as a whole', spec({ nodeSelector: { a: '1' } }), { 'f:spec': { 'f:nodeSelector': {} } }],
  ['an atomic list as a whole', spec({ tolerations: [{ key: 'x' }] }), { 'f:spec': { 'f:tolerations': {} } }],
  [
    'the items of a keyed list',
    spec({ containers: [{ name: 'a', image: 'i' }] }),
    { 'f:spec': { 'f:containers': { 'k:{"name":"a"}': { '.': {}, 'f:image': {}, 'f:name': {} } } } },
  ],
  ['nothing of an empty keyed list', spec({ containers: [], nodeName: 'n' }), { 'f:spec': { 'f:nodeName': {} } }],
  [
    'the members of a set',
    { metadata: { finalizers: ['b', 'a'] } },
    { 'f:metadata': { 'f:finalizers': { 'v:"a"': {}, 'v:"b"': {} } } },
  ],
  [
    'keys with their defaults, in order of their values',
    spec({ containers: [{ name: 'a', ports: [{ containerPort: 443 }, { containerPort: 80, protocol: 'UDP' }] }] }),
    {
      'f:spec': {
        'f:containers': {
          'k:{"name":"a"}': {
            '.': {},
            'f:name': {},
            'f:ports': {
              'k:{"containerPort":80,"protocol":"UDP"}': { '.': {}, 'f:containerPort': {}, 'f:protocol': {} },
              'k:{"containerPort":443,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} },
            },
          },
        },
      },
    },
  ],
  [
    'only the key of items that share it',
    spec({
      containers: [
        { name: 'a', image: '1' },
        { name: 'a', image: '2' },
      ],
    }),
    { 'f:spec': { 'f:containers': { 'k:{"name":"a"}': {} } } },
  ],
];

describe('the fields of an object', () => {
  it.each(sets)('include %s', (_, object, expected) => {
    expect(JSON.stringify(fieldSetOf(object, podSchema))).toBe(JSON.stringify(expected));
  });

  it('are those of each level, without a schema, and lists are whole', () => {
    expect(fieldSetOf({ spec: { a: { b: [1] } } }, undefined)).toEqual({
      'f:spec': { '.': {}, 'f:a': { '.': {}, 'f:b': {} } },
    });
  });

  it('are escaped where they stand in keys', () => {
    expect(fieldSetOf({ metadata: { finalizers: ['a<b'] } }, undefined)).toEqual({
      'f:metadata': { 'f:finalizers': { 'v:"a\\u003cb"': {} } },
    });
  });

  it('print as paths', () => {
    const object = {
      metadata: { finalizers: ['x'] },
      spec: { ports: [{ port: 80, targetPort: 1 }], type: 'ClusterIP' },
    };
    expect(printMembers(fieldSetOf(object, serviceSchema))).toEqual([
      '.metadata.finalizers[="x"]',
      '.spec.type',
      '.spec.ports[port=80,protocol="TCP"]',
      '.spec.ports[port=80,protocol="TCP"].port',
      '.spec.ports[port=80,protocol="TCP"].targetPort',
    ]);
  });
});

describe('comparing objects', () => {
  const cases: readonly [string, JsonMap | undefined, JsonMap, unknown, unknown][] = [
    ['finds nothing in equal ones', spec({ nodeName: 'a' }), spec({ nodeName: 'a' }), undefined, undefined],
    [
      'finds a changed scalar',
      spec({ nodeName: 'a' }),
      spec({ nodeName: 'b' }),
      { 'f:spec': { 'f:nodeName': {} } },
      undefined,
    ],
    [
      'finds new maps with all they hold',
      undefined,
      { metadata: { labels: { a: '1' } } },
      { 'f:metadata': { '.': {}, 'f:labels': { '.': {}, 'f:a': {} } } },
      undefined,
    ],
    [
      'finds removed keys',
      { metadata: { labels: { a: '1', b: '1' } } },
      { metadata: { labels: { a: '1' } } },
      undefined,
      { 'f:metadata': { 'f:labels': { 'f:b': {} } } },
    ],
    [
      'finds removed maps',
      { metadata: { labels: { a: '1' } } },
      { metadata: {} },
      undefined,
      { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } },
    ],
    [
      'finds changed items',
      spec({ containers: [{ name: 'a', image: '1' }] }),
      spec({ containers: [{ name: 'a', image: '2' }] }),
      { 'f:spec': { 'f:containers': { 'k:{"name":"a"}': { 'f:image': {} } } } },
      undefined,
    ],
    [
      'finds nothing in reordered items',
      spec({ containers: [{ name: 'a' }, { name: 'b' }] }),
      spec({ containers: [{ name: 'b' }, { name: 'a' }] }),
      undefined,
      undefined,
    ],
    [
      'finds a reordered atomic list',
      spec({ tolerations: [{ key: 'a' }, { key: 'b' }] }),
      spec({ tolerations: [{ key: 'b' }, { key: 'a' }] }),
      { 'f:spec': { 'f:tolerations': {} } },
      undefined,
    ],
    [
      'does not look at managedFields',
      { metadata: { managedFields: [{ a: 1 }] } },
      { metadata: {} },
      undefined,
      undefined,
    ],
    [
      'tells apart items that begin to share a key',
      spec({ containers: [{ name: 'a' }] }),
      spec({ containers: [{ name: 'a' }, { name: 'a' }] }),
      { 'f:spec': { 'f:containers': { 'k:{"name":"a"}': {} } } },
      { 'f:spec': { 'f:containers': { 'k:{"name":"a"}': { '.': {}, 'f:name': {} } } } },
    ],
  ];

  it.each(cases)('%s', (_, old, next, changed, removed) => {
    expect(compareObjects(old, next, podSchema)).toEqual({ changed, removed });
  });
});

describe('decoding FieldsV1', () => {
  it('sorts keys and leaves out kinds it does not know', () => {
    const decoded = decodeFields({
      'f:b': {},
      'f:a': { '.': {} },
      'x:1': {},
      'f:l': { 'k:{"b":1,"a":2}': {}, 'i:1': {} },
    });
    expect(JSON.stringify(decoded)).toBe(
      '{"ok":true,"set":{"f:a":{},"f:b":{},"f:l":{"k:{\\"a\\":2,\\"b\\":1}":{},"i:1":{}}}}',
    );
  });

  it.each([
    ['a list', []],
    ['a word', 'x'],
    ['a key without a kind', { f: {} }],
    ['a broken key', { 'k:{': {} }],
    ['a broken value', { 'v:': {} }],
    ['a scalar below', { 'f:a': 1 }],
    ['a broken index', { 'i:x': {} }],
  ])('refuses %s', (_, fields) => {
    expect(decodeFields(fields)).toEqual({ ok: false });
  });
});

const element = fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}', 'k:{"name":"y"}', 'v:1', 'i:0');
const { tree } = fc.letrec<{ tree: JsonMap }>((tie) => ({
  tree: fc.dictionary(
    fc.oneof({ weight: 5, arbitrary: element }, { weight: 1, arbitrary: fc.constant('.') }),
    fc.oneof({ maxDepth: 3 }, fc.constant({}), tie('tree')),
    { maxKeys: 4 },
  ),
}));
const fieldSet: fc.Arbitrary<FieldSet> = tree.map((fields) => {
  const decoded = decodeFields(fields);
  return decoded.ok ? decoded.set : undefined;
});

describe('field sets', () => {
  const same = (left: FieldSet, right: FieldSet) => expect(sameSet(left, right)).toBe(true);

  it('come back from the wire as they went', () => {
    fc.assert(
      fc.property(fieldSet, (set) => {
        const wire = JSON.stringify(set ?? {});
        expect(JSON.stringify(decodeFields(JSON.parse(wire)))).toBe(JSON.stringify({ ok: true, set }));
      }),
    );
  });

  it('obey the laws of sets', () => {
    fc.assert(
      fc.property(fieldSet, fieldSet, (a, b) => {
        same(union(a, b), union(b, a));
        same(intersection(a, b), intersection(b, a));
        same(union(a, a), a);
        same(difference(a, a), undefined);
        same(union(difference(a, b), intersection(a, b)), a);
        same(intersection(difference(a, b), b), undefined);
        same(difference(union(a, b), b), difference(a, b));
        same(union(differenceBelow(a, b), difference(a, b)), difference(a, b));
        expect(printMembers(union(a, b)).sort()).toEqual([...new Set([...printMembers(a), ...printMembers(b)])].sort());
      }),
    );
  });
});
