import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fields } from '../../../base/src/json.ts';
import { changedFields } from '../../src/install/apply/changed-fields.ts';

describe('the fields that changed', () => {
  it.each<readonly [string, Fields, Fields, readonly string[]]>([
    ['nothing', { spec: { a: 1 } }, { spec: { a: 1 } }, []],
    ['a value', { spec: { a: 1, b: 2 } }, { spec: { a: 1, b: 3 } }, ['spec.b']],
    ['a field that came', { spec: {} }, { spec: { b: { c: 1 } } }, ['spec.b']],
    ['a field that went', { spec: { a: 1 } }, {}, ['spec']],
    ['an item of a list', { l: [{ a: 1 }, { a: 2 }] }, { l: [{ a: 1 }, { a: 3 }] }, ['l[1].a']],
    ['the length of a list', { l: [1, 2] }, { l: [1] }, ['l']],
    ['a key with a dot', { m: { 'a.b/c': 1 } }, { m: { 'a.b/c': 2 } }, ['m["a.b/c"]']],
    ['a key of every object', { m: { constructor: 'x' } }, { m: {} }, ['m.constructor']],
    ['null for nothing', { a: null }, {}, []],
    [
      'what the server keeps by itself',
      { status: { a: 1 }, metadata: { resourceVersion: '1', generation: 1, managedFields: [] } },
      { status: { a: 2 }, metadata: { resourceVersion: '2', generation: 2, managedFields: [{}] } },
      [],
    ],
    ['a field of that name elsewhere', { spec: { status: 1 } }, { spec: { status: 2 } }, ['spec.status']],
  ])('%s', (_, before, after, expected) => {
    expect(changedFields(before, after)).toEqual(expected);
  });

  const objects = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 4 }));

  it('are none between an object and its copy, and the same in both directions', () => {
    fc.assert(
      fc.property(objects, objects, (left, right) => {
        expect(changedFields(left, structuredClone(left))).toEqual([]);
        expect(changedFields(left, right)).toEqual(changedFields(right, left));
      }),
    );
  });
});
