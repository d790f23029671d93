import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { table } from '../../../test/support/table.ts';
import { isInt32From, isObject, sameJson } from '../src/json.ts';

interface Row {
  readonly name: string;
  readonly left: unknown;
  readonly right: unknown;
  readonly want: boolean;
}

describe('sameJson', () => {
  table<Row>(
    [
      { name: 'does not look at the order of keys', left: { a: 1, b: 2 }, right: { b: 2, a: 1 }, want: true },
      { name: 'looks at the order of lists', left: [1, 2], right: [2, 1], want: false },
      { name: 'takes null for absent', left: { a: null }, right: {}, want: true },
      { name: 'takes undefined for null', left: undefined, right: null, want: true },
      { name: 'tells an empty object from none', left: {}, right: null, want: false },
      { name: 'tells a list from an object', left: [], right: {}, want: false },
      { name: 'tells a longer list', left: [1], right: [1, 2], want: false },
      { name: 'tells a number from its text', left: 1, right: '1', want: false },
      { name: 'sees a difference deep inside', left: { a: [{ b: 1 }] }, right: { a: [{ b: 2 }] }, want: false },
      { name: 'sees an extra key', left: { a: 1 }, right: { a: 1, b: 0 }, want: false },
      { name: 'does not find keys on the prototype', left: { constructor: Object }, right: {}, want: false },
    ],
    ({ left, right, want }) => {
      expect(sameJson(left, right)).toBe(want);
      expect(sameJson(right, left)).toBe(want);
    },
  );

  it('takes what is too deep to compare for different, and does not fall into it', () => {
    const deep = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as unknown;
    expect(sameJson(deep(32), deep(32))).toBe(true);
    expect(sameJson(deep(33), deep(33))).toBe(false);
    expect(sameJson(deep(100_000), deep(100_000))).toBe(false);
  });

  it('holds for every value and its copy', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => sameJson(value, structuredClone(value))));
  });
});

describe('isObject', () => {
  table(
    [
      { name: 'accepts an object', value: {}, want: true },
      { name: 'refuses a list', value: [], want: false },
      { name: 'refuses null', value: null, want: false },
      { name: 'refuses a string', value: 'x', want: false },
    ],
    ({ value, want }) => {
      expect(isObject(value)).toBe(want);
    },
  );
});

describe('isInt32From', () => {
  table(
    [
      { name: 'accepts the minimum', value: 1, want: true },
      { name: 'refuses less', value: 0, want: false },
      { name: 'accepts the largest int32', value: 2_147_483_647, want: true },
      { name: 'refuses more', value: 2_147_483_648, want: false },
      { name: 'refuses a fraction', value: 1.5, want: false },
      { name: 'refuses text', value: '1', want: false },
      { name: 'refuses NaN', value: Number.NaN, want: false },
    ],
    ({ value, want }) => {
      expect(isInt32From(1, value)).toBe(want);
    },
  );
});
