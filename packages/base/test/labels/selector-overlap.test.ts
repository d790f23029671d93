import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { table } from '../../../../test/support/table.ts';
import { matches, type Requirement, type Selector } from '../../src/labels/label-selector.ts';
import { overlap } from '../../src/labels/selector-overlap.ts';

const is = (key: string, ...values: string[]): Requirement => ({ op: 'In', key, values });
const isNot = (key: string, ...values: string[]): Requirement => ({ op: 'NotIn', key, values });
const has = (key: string): Requirement => ({ op: 'Exists', key });
const lacks = (key: string): Requirement => ({ op: 'DoesNotExist', key });

interface Case {
  readonly name: string;
  readonly left: Selector;
  readonly right: Selector;
  readonly want: boolean;
}

const pairs: readonly Case[] = [
  { name: 'In and In share a value', left: [is('a', 'x', 'y')], right: [is('a', 'y', 'z')], want: true },
  { name: 'In and In share none', left: [is('a', 'x')], right: [is('a', 'y')], want: false },
  { name: 'In has a value that NotIn leaves', left: [is('a', 'x', 'y')], right: [isNot('a', 'x')], want: true },
  { name: 'NotIn takes every value of In', left: [is('a', 'x', 'y')], right: [isNot('a', 'y', 'x', 'z')], want: false },
  { name: 'In and Exists', left: [is('a', 'x')], right: [has('a')], want: true },
  { name: 'In and DoesNotExist', left: [is('a', 'x')], right: [lacks('a')], want: false },
  { name: 'NotIn and NotIn leave other values', left: [isNot('a', 'x')], right: [isNot('a', 'y')], want: true },
  { name: 'NotIn and Exists leave other values', left: [isNot('a', 'x')], right: [has('a')], want: true },
  { name: 'NotIn and DoesNotExist meet in absence', left: [isNot('a', 'x')], right: [lacks('a')], want: true },
  { name: 'Exists and Exists', left: [has('a')], right: [has('a')], want: true },
  { name: 'Exists and DoesNotExist', left: [has('a')], right: [lacks('a')], want: false },
  { name: 'DoesNotExist and DoesNotExist meet in absence', left: [lacks('a')], right: [lacks('a')], want: true },
];

const whole: readonly Case[] = [
  {
    name: 'a key in only one of them is no overlap',
    left: [is('a', 'x')],
    right: [is('a', 'x'), is('b', 'y')],
    want: false,
  },
  { name: 'different keys are no overlap', left: [is('a', 'x')], right: [is('b', 'x')], want: false },
  { name: 'every key must meet', left: [is('a', 'x'), is('b', 'x')], right: [is('a', 'x'), is('b', 'y')], want: false },
  {
    name: 'the order of keys does not matter',
    left: [is('a', 'x'), has('b')],
    right: [is('b', 'y'), is('a', 'x')],
    want: true,
  },
  {
    name: 'several requirements on one key are one key',
    left: [is('a', 'x', 'y'), isNot('a', 'x')],
    right: [is('a', 'y')],
    want: true,
  },
  { name: 'they count together', left: [is('a', 'x', 'y'), isNot('a', 'x')], right: [is('a', 'x')], want: false },
  {
    name: 'a selector that contradicts itself meets nothing',
    left: [is('a', 'x'), isNot('a', 'x')],
    right: [has('a')],
    want: false,
  },
  { name: 'Exists excludes meeting in absence', left: [isNot('a', 'x'), has('a')], right: [lacks('a')], want: false },
  { name: 'no requirement and no requirement', left: [], right: [], want: true },
  { name: 'no requirement and some', left: [], right: [has('a')], want: false },
];

describe('overlap', () => {
  table([...pairs, ...whole], ({ left, right, want }) => {
    expect(overlap(left, right)).toBe(want);
    expect(overlap(right, left)).toBe(want);
  });

  it('is: the same keys, and for every key a value or its absence that suits both', () => {
    const keys = ['a', 'b', 'c'];
    const values = fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { minLength: 1, maxLength: 3 });
    const key = fc.constantFrom(...keys);
    const requirement: fc.Arbitrary<Requirement> = fc.oneof(
      fc.record({ op: fc.constantFrom('In' as const, 'NotIn' as const), key, values }),
      fc.record({ op: fc.constantFrom('Exists' as const, 'DoesNotExist' as const), key }),
    );
    const selector = fc.array(requirement, { maxLength: 5 });
    const seen = { overlapping: 0, apart: 0 };
    fc.assert(
      fc.property(selector, selector, (left, right) => {
        const want = overlapByTrying(left, right);
        seen[want ? 'overlapping' : 'apart'] += 1;
        expect(overlap(left, right)).toBe(want);
      }),
      { numRuns: 5_000 },
    );
    expect(Math.min(seen.overlapping, seen.apart)).toBeGreaterThan(100);
  });
});

/** Tries every assignment of a universe with one value more than any requirement names. */
function overlapByTrying(left: Selector, right: Selector): boolean {
  const keysOf = (selector: Selector): string => [...new Set(selector.map(({ key }) => key))].sort().join();
  if (keysOf(left) !== keysOf(right)) return false;
  const assignments = ['a', 'b', 'c'].reduce<Record<string, string>[]>(
    (partial, key) =>
      partial.flatMap((labels) => [labels, ...['x', 'y', 'z', 'other'].map((value) => ({ ...labels, [key]: value }))]),
    [{}],
  );
  return assignments.some((labels) => matches(left, labels) && matches(right, labels));
}
