import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { table } from '../../../test/support/table.ts';
import { parseAmount, resolveAmount } from '../src/int-or-string.ts';

const notPercent = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%' or '93%')";
const notAmount = 'must be an integer or a percentage';
const notInt32 = 'must be a 32-bit integer or a percentage';

describe('parseAmount', () => {
  table(
    [
      { name: 'reads a count', value: 3, want: { kind: 'count', count: 3 } },
      { name: 'reads zero', value: 0, want: { kind: 'count', count: 0 } },
      { name: 'reads the largest int32', value: 2_147_483_647, want: { kind: 'count', count: 2_147_483_647 } },
      { name: 'reads a percentage', value: '30%', want: { kind: 'percent', percent: 30 } },
      { name: 'reads 0%', value: '0%', want: { kind: 'percent', percent: 0 } },
      { name: 'reads 100%', value: '100%', want: { kind: 'percent', percent: 100 } },
      { name: 'reads leading zeros as Kubernetes does', value: '007%', want: { kind: 'percent', percent: 7 } },
    ],
    ({ value, want }) => {
      expect(parseAmount(value, 'f')).toEqual({ ok: true, value: want });
    },
  );

  table(
    [
      { name: 'refuses a negative count', value: -1, detail: 'must be greater than or equal to 0' },
      { name: 'refuses a fraction', value: 1.5, detail: notInt32 },
      { name: 'refuses more than an int32', value: 2_147_483_648, detail: notInt32 },
      { name: 'refuses NaN', value: Number.NaN, detail: notInt32 },
      { name: 'refuses more than 100%', value: '101%', detail: 'must not be greater than 100%' },
      { name: 'refuses an absurd percentage', value: `${'9'.repeat(400)}%`, detail: 'must not be greater than 100%' },
      { name: 'refuses a number in quotes', value: '3', detail: notPercent },
      { name: 'refuses a negative percentage', value: '-1%', detail: notPercent },
      { name: 'refuses a fractional percentage', value: '1.5%', detail: notPercent },
      { name: 'refuses blanks', value: ' 1%', detail: notPercent },
      { name: 'refuses a line break after the percentage', value: '1%\n', detail: notPercent },
      { name: 'refuses the empty string', value: '', detail: notPercent },
      { name: 'refuses null', value: null, detail: notAmount },
      { name: 'refuses a boolean', value: true, detail: notAmount },
      { name: 'refuses a list', value: [1], detail: notAmount },
      { name: 'refuses an object', value: {}, detail: notAmount },
    ],
    ({ value, detail }) => {
      const error = { type: 'FieldValueInvalid', field: 'spec.x', value, detail };
      expect(parseAmount(value, 'spec.x')).toEqual({ ok: false, errors: [error] });
    },
  );

  it('never throws, and what it accepts is within bounds', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fc.integer(),
          fc.integer({ min: 0, max: 150 }).map((n) => `${n}%`),
        ),
        (value) => {
          const result = parseAmount(value, 'f');
          if (!result.ok) {
            expect(result.errors).toHaveLength(1);
            return;
          }
          const number = result.value.kind === 'count' ? result.value.count : result.value.percent;
          expect(number).toBeGreaterThanOrEqual(0);
          expect(number).toBeLessThanOrEqual(result.value.kind === 'count' ? 2_147_483_647 : 100);
        },
      ),
    );
  });
});

describe('resolveAmount', () => {
  table(
    [
      { name: 'takes a count as it is, whatever is expected', amount: 5, expected: 3, want: 5 },
      { name: 'rounds 30% of 7 up to 3', amount: '30%', expected: 7, want: 3 },
      { name: 'rounds 10% of 15 up to 2', amount: '10%', expected: 15, want: 2 },
      { name: 'does not round what is whole: 50% of 4 is 2', amount: '50%', expected: 4, want: 2 },
      { name: 'gives 100% of 7 as 7', amount: '100%', expected: 7, want: 7 },
      { name: 'gives 0% as 0', amount: '0%', expected: 7, want: 0 },
      { name: 'gives 1% of 0 as 0', amount: '1%', expected: 0, want: 0 },
      { name: 'is not fooled by floats: 7% of 100 is 7, not 8', amount: '7%', expected: 100, want: 7 },
    ],
    ({ amount, expected, want }) => {
      const parsed = parseAmount(amount, 'f');
      expect(parsed.ok && resolveAmount(parsed.value, expected)).toBe(want);
    },
  );

  it('is the smallest whole number that is not below the share', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 150_000 }), (percent, expected) => {
        const result = BigInt(resolveAmount({ kind: 'percent', percent }, expected));
        const share = BigInt(percent) * BigInt(expected);
        expect(result * 100n >= share && (result - 1n) * 100n < share).toBe(true);
      }),
    );
  });
});
