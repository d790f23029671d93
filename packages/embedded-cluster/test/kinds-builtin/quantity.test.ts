import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareQuantities,
  formatQuantity,
  milliUnits,
  parseQuantity,
  type Quantity,
  roundedToMilli,
  wholeUnits,
} from '../../src/kinds/quantity.ts';

function quantity(text: unknown): Quantity {
  const result = parseQuantity(text);
  if (result === undefined) throw new Error(`${String(text)} is not a quantity`);
  return result;
}

describe('the canonical form of a quantity', () => {
  it.each([
    ['0', '0'],
    ['1000m', '1'],
    ['0.5', '500m'],
    ['.5', '500m'],
    ['1.', '1'],
    ['100m', '100m'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['512Ki', '512Ki'],
    ['1023', '1023'],
    ['0.5Ki', '512'],
    ['1000', '1k'],
    ['1000000', '1M'],
    ['1e3', '1e3'],
    ['1E6', '1e6'],
    ['12e-1', '1200e-3'],
    ['-1500m', '-1500m'],
    ['+2', '2'],
    ['1n', '1n'],
    ['0.1n', '1n'],
    ['100E', '9223372036854775807'],
    [2, '2'],
    [0.25, '250m'],
  ])('of %s is %s', (text, canonical) => {
    expect(formatQuantity(quantity(text))).toBe(canonical);
  });
});

describe('what is not a quantity', () => {
  it.each(['', '.', 'm', '1 ', ' 1', '1mi', '1kk', '1K', '0x1', '1e', '--1', 'abc', '1'.repeat(65), null, {}, true])(
    'includes %j',
    (text) => {
      expect(parseQuantity(text)).toBeUndefined();
    },
  );
});

describe('arithmetic', () => {
  it('compares across suffixes', () => {
    expect(compareQuantities(quantity('1Gi'), quantity('1G'))).toBe(1);
    expect(compareQuantities(quantity('1000m'), quantity('1'))).toBe(0);
    expect(compareQuantities(quantity('999m'), quantity('1'))).toBe(-1);
  });

  it('rounds whole units and thousandths away from zero', () => {
    expect(wholeUnits(quantity('1500m'))).toBe(2n);
    expect(wholeUnits(quantity('-1500m'))).toBe(-2n);
    expect(milliUnits(quantity('1u'))).toBe(1n);
    expect(formatQuantity(roundedToMilli(quantity('1500u')))).toBe('2m');
  });

  const amounts = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
  const formats = fc.constantFrom('decimalSI', 'binarySI', 'decimalExponent') as fc.Arbitrary<Quantity['format']>;

  it('loses nothing when a quantity is written and read again', () => {
    fc.assert(
      fc.property(amounts, formats, (nanos, format) => {
        const text = formatQuantity({ nanos, format });
        expect(quantity(text).nanos).toBe(nanos);
        expect(formatQuantity(quantity(text))).toBe(text);
      }),
    );
  });
});
