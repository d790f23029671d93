import { parseQuantity } from '../kinds/quantity.ts';

/** An amount of a resource as rules compute with it: whole billionths, the finest step Kubernetes knows. */

const billion = 1_000_000_000n;

export class CelQuantity {
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

  compare(other: CelQuantity): bigint {
    return this.nanos < other.nanos ? -1n : this.nanos > other.nanos ? 1n : 0n;
  }
}

export function parseCelQuantity(text: string): CelQuantity | undefined {
  const read = parseQuantity(text);
  return read && new CelQuantity(read.nanos);
}
