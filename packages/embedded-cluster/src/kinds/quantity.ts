/**
 * Resource quantities: `500m`, `1.5Gi`, `2e3`. Kept exactly, in billionths; what is finer is rounded up, as the API
 * server does.
 */

export type QuantityFormat = 'decimalSI' | 'binarySI' | 'decimalExponent';

export interface Quantity {
  readonly nanos: bigint;
  readonly format: QuantityFormat;
}

const pattern = /^([+-]?)([0-9]*)(?:\.([0-9]*))?((?:[KMGTPE]i)|[numkMGTPE]|(?:[eE][+-]?[0-9]{1,3}))?$/;
/** Longer texts are not meant as numbers; the limit keeps the arithmetic small. */
const maxLength = 64;
const billion = 1_000_000_000n;
/** The API server caps what does not fit into 64 bits. */
const maxNanos = (2n ** 63n - 1n) * billion;

const decimalPowers: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const binaryPowers: Readonly<Record<string, bigint>> = {
  Ki: 2n ** 10n,
  Mi: 2n ** 20n,
  Gi: 2n ** 30n,
  Ti: 2n ** 40n,
  Pi: 2n ** 50n,
  Ei: 2n ** 60n,
};

export const zeroQuantity: Quantity = { nanos: 0n, format: 'decimalSI' };

/** Reads a quantity; JSON numbers are quantities, too. Undefined: it is none. */
export function parseQuantity(source: unknown): Quantity | undefined {
  const text = typeof source === 'number' ? String(source) : source;
  if (typeof text !== 'string' || text.length > maxLength) return undefined;
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', suffix = ''] = match;
  if (whole === '' && fraction === '') return undefined;
  const size = capped(scale(BigInt(whole + fraction), fraction.length, suffix));
  return { nanos: sign === '-' ? -size : size, format: formatOf(suffix) };
}

function formatOf(suffix: string): QuantityFormat {
  if (Object.hasOwn(binaryPowers, suffix)) return 'binarySI';
  return /^[eE][+-]?[0-9]/.test(suffix) ? 'decimalExponent' : 'decimalSI';
}

function scale(digits: bigint, fractionDigits: number, suffix: string): bigint {
  const binary = Object.hasOwn(binaryPowers, suffix) ? binaryPowers[suffix] : undefined;
  if (binary !== undefined) return divideUp(digits * binary * billion, 10n ** BigInt(fractionDigits));
  const exponent = Object.hasOwn(decimalPowers, suffix) ? (decimalPowers[suffix] ?? 0) : Number(suffix.slice(1) || '0');
  const power = exponent + 9 - fractionDigits;
  return power >= 0 ? digits * 10n ** BigInt(power) : divideUp(digits, 10n ** BigInt(-power));
}

function divideUp(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return quotient * divisor < value ? quotient + 1n : quotient;
}

function capped(nanos: bigint): bigint {
  return nanos > maxNanos ? maxNanos : nanos;
}

export function compareQuantities(left: Quantity, right: Quantity): -1 | 0 | 1 {
  if (left.nanos === right.nanos) return 0;
  return left.nanos < right.nanos ? -1 : 1;
}

/** Whole units, rounded away from zero. */
export function wholeUnits(quantity: Quantity): bigint {
  return roundAway(quantity.nanos, billion);
}

/** Thousandths, rounded away from zero: how CPUs are counted. */
export function milliUnits(quantity: Quantity): bigint {
  return roundAway(quantity.nanos, 1_000_000n);
}

/** No finer than thousandths, which is all that requests and limits can say. */
export function roundedToMilli(quantity: Quantity): Quantity {
  return { nanos: milliUnits(quantity) * 1_000_000n, format: quantity.format };
}

function roundAway(nanos: bigint, unit: bigint): bigint {
  return nanos < 0n ? -divideUp(-nanos, unit) : divideUp(nanos, unit);
}

const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const;
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

/** The one way the API writes this amount: no fraction, and the largest suffix that allows that. */
export function formatQuantity(quantity: Quantity): string {
  const sign = quantity.nanos < 0n ? '-' : '';
  const size = quantity.nanos < 0n ? -quantity.nanos : quantity.nanos;
  if (size === 0n) return '0';
  // Binary suffixes start at 1024 and cannot say fractions.
  const binary = quantity.format === 'binarySI' && size >= 1024n * billion && size % billion === 0n;
  if (binary) return sign + formatBinary(size / billion);
  return sign + formatDecimal(size, quantity.format === 'decimalExponent');
}

function formatBinary(units: bigint): string {
  let rest = units;
  let step = 0;
  while (step < binarySuffixes.length - 1 && rest % 1024n === 0n) {
    rest /= 1024n;
    step++;
  }
  return `${rest}${binarySuffixes[step]}`;
}

function formatDecimal(nanos: bigint, exponents: boolean): string {
  let rest = nanos;
  let step = 0;
  while (step < decimalSuffixes.length - 1 && rest % 1000n === 0n) {
    rest /= 1000n;
    step++;
  }
  const power = step * 3 - 9;
  if (exponents) return power === 0 ? `${rest}` : `${rest}e${power}`;
  return `${rest}${decimalSuffixes[step]}`;
}
