/** Amounts of a resource: `500m`, `1.5Gi`, `2e3`. Kept as whole billionths, the finest step Kubernetes knows. */

const billion = 1_000_000_000n;
const pattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:([eE][+-]?\d+)|(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E))?$/;
/** Longer numbers are refused: arithmetic on them would cost more than any amount is worth. */
const maxDigits = 100;
const maxExponent = 60;

const binary = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const decimal: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);

export class Quantity {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }

  isInteger(): boolean {
    return this.nanos % billion === 0n;
  }

  /** The integer, where it is one that fits 64 bits. */
  asInteger(): bigint | undefined {
    const whole = this.nanos / billion;
    return this.isInteger() && BigInt.asIntN(64, whole) === whole ? whole : undefined;
  }

  asNumber(): number {
    return Number(this.nanos) / 1e9;
  }

  compare(other: Quantity): bigint {
    return this.nanos < other.nanos ? -1n : this.nanos > other.nanos ? 1n : 0n;
  }
}

export function parseQuantity(text: string): Quantity | undefined {
  if (text.length > maxDigits) return undefined;
  const [matched, sign, whole = '', fraction = '', exponent, suffix] = pattern.exec(text) ?? [];
  if (matched === undefined || whole + fraction === '') return undefined;
  const power = exponent ? Number(exponent.slice(1)) : (decimal.get(suffix ?? '') ?? 0);
  if (Math.abs(power) > maxExponent) return undefined;
  const multiplier = 1024n ** BigInt(binary.indexOf(suffix ?? '') + 1);
  const amount = scaled(BigInt(whole + fraction) * multiplier, power + 9 - fraction.length);
  return new Quantity(sign === '-' ? -amount : amount);
}

/** What is finer than a billionth rounds away from zero. */
function scaled(value: bigint, power: number): bigint {
  if (power >= 0) return value * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return (value + divisor - 1n) / divisor;
}
