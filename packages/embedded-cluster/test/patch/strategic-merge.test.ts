import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Schema } from '../../src/kinds/schema.ts';
import type { JsonMap } from '../../src/patch/json-tree.ts';
import { applyStrategicMergePatch } from '../../src/patch/strategic/strategic-merge.ts';
import { deploymentSchema, podSchema, serviceSchema } from './schemas.ts';

interface Case {
  readonly name: string;
  readonly schema?: Schema | undefined;
  readonly original: JsonMap;
  readonly patch: JsonMap;
  readonly expected: JsonMap;
}

const containers = (...list: unknown[]) => ({ spec: { containers: list } });
const a = { name: 'a', image: '1' };
const b = { name: 'b', image: '1' };
const c = { name: 'c', image: '1' };

const cases: readonly Case[] = [
  {
    name: 'merges maps',
    original: { spec: { nodeName: 'n' } },
    patch: { spec: { x: 1 } },
    expected: { spec: { nodeName: 'n', x: 1 } },
  },
  {
    name: 'deletes with null',
    original: { metadata: { labels: { a: '1', b: '2' } } },
    patch: { metadata: { labels: { a: null } } },
    expected: { metadata: { labels: { b: '2' } } },
  },
  {
    name: 'ignores nulls that match nothing',
    original: { spec: {} },
    patch: { spec: { x: null, y: { z: null } } },
    expected: { spec: { y: {} } },
  },
  {
    name: 'merges elements by their key',
    original: containers(a, b),
    patch: containers({ name: 'a', image: '2' }),
    expected: containers({ ...a, image: '2' }, b),
  },
  {
    name: 'puts new elements of the patch first',
    original: containers(a),
    patch: containers(b),
    expected: containers(b, a),
  },
  {
    name: 'takes the order of the patch',
    original: containers(a, b, c),
    patch: containers({ name: 'c' }, { name: 'a' }),
    expected: containers(b, c, a),
  },
  {
    name: 'deletes an element',
    original: containers(a, b),
    patch: containers({ name: 'a', $patch: 'delete' }),
    expected: containers(b),
  },
  {
    name: 'ignores the deletion of a missing element',
    original: containers(a),
    patch: containers({ name: 'x', $patch: 'delete' }),
    expected: containers(a),
  },
  {
    name: 'replaces a list',
    original: containers(a, b),
    patch: containers(c, { $patch: 'replace' }),
    expected: containers(c),
  },
  {
    name: 'merges nested lists by their own key',
    original: containers({ ...a, ports: [{ containerPort: 80, name: 'x' }] }),
    patch: containers({ name: 'a', ports: [{ containerPort: 80, name: 'y' }] }),
    expected: containers({ ...a, ports: [{ containerPort: 80, name: 'y' }] }),
  },
  {
    name: 'replaces atomic lists',
    original: containers({ ...a, args: ['x', 'y'] }),
    patch: containers({ name: 'a', args: ['z'] }),
    expected: containers({ ...a, args: ['z'] }),
  },
  {
    name: 'merges sets',
    original: { metadata: { finalizers: ['a', 'b'] } },
    patch: { metadata: { finalizers: ['c', 'b'] } },
    expected: { metadata: { finalizers: ['c', 'a', 'b'] } },
  },
  {
    name: 'deletes from sets',
    original: { metadata: { finalizers: ['a', 'b', 'c'] } },
    patch: { metadata: { '$deleteFromPrimitiveList/finalizers': ['a', 'x', 'c'] } },
    expected: { metadata: { finalizers: ['b'] } },
  },
  {
    name: 'ignores deletions from a missing set',
    original: { metadata: {} },
    patch: { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } },
    expected: { metadata: {} },
  },
  {
    name: 'orders a list without changing it',
    original: containers(a, b, c),
    patch: { spec: { '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }] } },
    expected: containers(b, c, a),
  },
  {
    name: 'orders a list and changes it',
    original: containers(a, b),
    patch: { spec: { '$setElementOrder/containers': [{ name: 'c' }, { name: 'b' }, { name: 'a' }], containers: [c] } },
    expected: containers(c, b, a),
  },
  {
    name: 'keeps elements of the server where they stood',
    original: containers(a, b, c),
    patch: {
      spec: { '$setElementOrder/containers': [{ name: 'a' }, { name: 'c' }], containers: [{ name: 'c', image: '2' }] },
    },
    expected: containers(a, b, { ...c, image: '2' }),
  },
  {
    name: 'orders a set',
    original: { metadata: { finalizers: ['a', 'b'] } },
    patch: { metadata: { '$setElementOrder/finalizers': ['b', 'a'] } },
    expected: { metadata: { finalizers: ['b', 'a'] } },
  },
  {
    name: 'orders a list that only the patch has',
    original: { spec: {} },
    patch: { spec: { '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }], containers: [a, b] } },
    expected: containers(a, b),
  },
  {
    name: 'ignores the order of a list that does not exist',
    original: { spec: {} },
    patch: { spec: { '$setElementOrder/containers': [{ name: 'a' }] } },
    expected: { spec: {} },
  },
  {
    name: 'retains the keys it says',
    schema: deploymentSchema,
    original: { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } },
    patch: { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
    expected: { spec: { strategy: { type: 'Recreate' } } },
  },
  {
    name: 'retains keys in elements',
    original: { spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
    patch: { spec: { volumes: [{ name: 'v', $retainKeys: ['name', 'configMap'], configMap: { name: 'c' } }] } },
    expected: { spec: { volumes: [{ name: 'v', configMap: { name: 'c' } }] } },
  },
  {
    name: 'replaces a map',
    original: { spec: { nodeSelector: { a: '1' } } },
    patch: { spec: { nodeSelector: { $patch: 'replace', b: '2' } } },
    expected: { spec: { nodeSelector: { b: '2' } } },
  },
  {
    name: 'empties a map',
    original: { spec: { nodeSelector: { a: '1' } } },
    patch: { spec: { nodeSelector: { $patch: 'delete' } } },
    expected: { spec: { nodeSelector: {} } },
  },
  {
    name: 'leaves out a deletion of what is not there',
    original: { spec: {} },
    patch: { spec: { nodeSelector: { $patch: 'delete' }, containers: [a, { name: 'b', $patch: 'delete' }] } },
    expected: containers(a),
  },
  {
    name: 'replaces a value of another type',
    original: { spec: { x: [1] } },
    patch: { spec: { x: { y: null, z: 1 } } },
    expected: { spec: { x: { z: 1 } } },
  },
  {
    name: 'merges service ports by port',
    schema: serviceSchema,
    original: { spec: { ports: [{ port: 80, name: 'x' }] } },
    patch: { spec: { ports: [{ port: 80, targetPort: 8080 }, { port: 81 }] } },
    expected: { spec: { ports: [{ port: 80, name: 'x', targetPort: 8080 }, { port: 81 }] } },
  },
  {
    name: 'merges conditions by type',
    original: { status: { conditions: [{ type: 'Ready', status: 'False' }] } },
    patch: { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
    expected: { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
  },
  {
    name: 'replaces lists without a schema',
    schema: undefined,
    original: { spec: { containers: [a, b], m: { x: 1 } } },
    patch: { spec: { containers: [c], m: { y: 2 } } },
    expected: { spec: { containers: [c], m: { x: 1, y: 2 } } },
  },
  {
    name: 'ignores the key that would be a prototype',
    original: { a: 1 },
    patch: JSON.parse('{"__proto__":{"x":1}}'),
    expected: { a: 1 },
  },
];

describe('a strategic merge patch', () => {
  it.each(cases)('$name', (test) => {
    const schema = 'schema' in test ? test.schema : podSchema;
    const before = JSON.stringify([test.original, test.patch]);
    expect(applyStrategicMergePatch(test.original, test.patch, schema)).toEqual({ ok: true, value: test.expected });
    expect(JSON.stringify([test.original, test.patch])).toBe(before);
  });

  const refused: readonly [string, JsonMap, unknown, number, string][] = [
    [
      'an element without its key',
      containers(a),
      containers({ image: '2' }),
      500,
      'map: map[image:2] does not contain declared merge key: name',
    ],
    [
      'a deletion without its key',
      containers(a),
      containers({ $patch: 'delete' }),
      500,
      'map: map[$patch:delete] does not contain declared merge key: name',
    ],
    ['an unknown directive', { spec: {} }, { $patch: 'x' }, 500, 'unknown patch type: x in map: map[$patch:x]'],
    [
      'an element directive to merge',
      containers(a),
      containers({ name: 'a', $patch: 'merge' }),
      500,
      'merging lists cannot yet be specified in the patch',
    ],
    ['retained keys that are no list', { spec: {} }, { $retainKeys: 1 }, 400, 'invalid patch format of retainKeys'],
    [
      'a key that is not retained',
      { spec: {} },
      { $retainKeys: ['a'], b: 1 },
      400,
      'invalid patch format of retainKeys',
    ],
    [
      'a deletion list without a name',
      { spec: {} },
      { $deleteFromPrimitiveList: [] },
      400,
      'invalid patch format of primitive list',
    ],
    [
      'an order without a name',
      { spec: {} },
      { $setElementOrder: [] },
      400,
      'invalid patch format of setElementOrder list',
    ],
    [
      'an order that is no list',
      containers(a),
      { spec: { '$setElementOrder/containers': {} } },
      500,
      'expected a []interface {}, but received a map[string]interface {}',
    ],
    [
      'a list in another order',
      containers(a, b),
      { spec: { '$setElementOrder/containers': [{ name: 'a' }], containers: [b] } },
      500,
      "The order in patch list:\n[map[image:1 name:b]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n",
    ],
    [
      'mixed elements',
      { metadata: { finalizers: ['a'] } },
      { metadata: { finalizers: [1] } },
      500,
      'list element types are not identical: [[a] [1]]',
    ],
    [
      'lists of lists',
      { metadata: { finalizers: ['a'] } },
      { metadata: { finalizers: [['a']] } },
      422,
      'the server rejected our request due to an error in our request',
    ],
    ['a list', {}, [], 400, 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
  ];

  it.each(refused)('refuses %s', (_, original, patch, code, message) => {
    expect(applyStrategicMergePatch(original, patch, podSchema)).toMatchObject({
      ok: false,
      error: { status: { code, message } },
    });
  });

  const container = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), image: fc.constantFrom('1', '2') });
  const lists = fc.uniqueArray(container, { selector: ({ name }) => name, maxLength: 4 });

  /** What kubectl computes: changed and new elements, deletions, and the order wanted. */
  function diff(
    original: readonly { name: string; image: string }[],
    wanted: readonly { name: string; image: string }[],
  ): JsonMap {
    const gone = original.filter(({ name }) => !wanted.some((other) => other.name === name));
    const changes = wanted.filter(
      (item) => !original.some(({ name, image }) => name === item.name && image === item.image),
    );
    const list = [...changes, ...gone.map(({ name }) => ({ name, $patch: 'delete' }))];
    return {
      spec: {
        '$setElementOrder/containers': wanted.map(({ name }) => ({ name })),
        ...(list.length > 0 && { containers: list }),
      },
    };
  }

  it('leads from any list to any other one, by their difference', () => {
    fc.assert(
      fc.property(lists, lists, (original, wanted) => {
        fc.pre(original.length > 0 || wanted.length > 0);
        const result = applyStrategicMergePatch(containers(...original), diff(original, wanted), podSchema);
        expect(result).toEqual({ ok: true, value: containers(...wanted) });
      }),
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(lists, lists, (original, patch) => {
        const once = applyStrategicMergePatch(containers(...original), containers(...patch), podSchema);
        const twice = once.ok ? applyStrategicMergePatch(once.value, containers(...patch), podSchema) : once;
        expect(twice).toEqual(once);
      }),
    );
  });
});
