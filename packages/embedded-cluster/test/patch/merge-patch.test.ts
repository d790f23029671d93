import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalJsonToDepth, isMap, type JsonMap } from '../../src/patch/json-tree.ts';
import { applyMergePatch } from '../../src/patch/merge-patch.ts';

const cases: readonly [string, JsonMap, JsonMap, unknown][] = [
  ['replaces a value', { a: 'b' }, { a: 'c' }, { a: 'c' }],
  ['adds a value', { a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  ['deletes with null', { a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  ['ignores null for a missing key', { a: 1 }, { b: null }, { a: 1 }],
  ['replaces lists', { a: ['b'] }, { a: 'c' }, { a: 'c' }],
  ['replaces by lists', { a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  ['merges maps', { a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  ['does not look into lists', { a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  ['keeps nulls of the document', { e: null }, { a: 1 }, { e: null, a: 1 }],
  ['drops nulls of new maps', {}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ['drops nulls in maps of new lists', {}, { a: [{ b: null, c: 1 }, null] }, { a: [{ c: 1 }, null] }],
  ['ignores the key that would be a prototype', {}, JSON.parse('{"__proto__":{"x":1},"a":1}'), { a: 1 }],
];

describe('a merge patch', () => {
  it.each(cases)('%s', (_, document, patch, expected) => {
    const result = applyMergePatch(document, patch);
    expect(result).toEqual({ ok: true, value: expected });
    expect(result.ok && 'x' in result.value).toBe(false);
  });

  it.each([
    [null, 'Invalid JSON Patch'],
    [[], 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['x', 'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}'],
  ])('is a bad request if it is %j', (patch, message) => {
    expect(applyMergePatch({}, patch)).toMatchObject({ ok: false, error: { status: { code: 400, message } } });
  });

  it('is refused if it nests too deep', () => {
    let patch: JsonMap = {};
    for (let level = 0; level < 5000; level += 1) patch = { a: patch };
    expect(applyMergePatch({}, patch)).toMatchObject({ ok: false, error: { status: { code: 422 } } });
  });

  const map = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 3 }));
  const hasNull = (value: unknown): boolean =>
    value === null || (typeof value === 'object' && Object.values(value as object).some(hasNull));
  const hasNullInList = (value: unknown): boolean =>
    Array.isArray(value) ? hasNull(value) : isMap(value) && Object.values(value).some(hasNullInList);
  const merge = (document: JsonMap, patch: JsonMap): JsonMap => {
    const result = applyMergePatch(document, patch);
    return result.ok ? result.value : {};
  };

  it('changes nothing the second time, nor its inputs', () => {
    fc.assert(
      fc.property(map, map, (document, patch) => {
        fc.pre(!hasNullInList(patch));
        const before = JSON.stringify([document, patch]);
        const once = merge(document, patch);
        expect(JSON.stringify([document, patch])).toBe(before);
        return equalJsonToDepth(merge(once, patch), once);
      }),
    );
  });

  it('changes nothing if it is empty, and is the document itself if that has no nulls', () => {
    fc.assert(
      fc.property(map, (document) => {
        expect(merge(document, {})).toEqual(document);
        return hasNull(document) || (isMap(document) && equalJsonToDepth(merge({}, document), document));
      }),
    );
  });
});
