import type { Environment } from '@marcbachmann/cel-js';
import { CelQuantity, parseCelQuantity } from '../quantity.ts';

const sync = { async: false };

export function registerQuantity(environment: Environment): void {
  const add = (signature: string, handler: (...args: never[]) => unknown) =>
    environment.registerFunction(signature, handler, sync);
  environment.registerType('Quantity', CelQuantity);
  add('isQuantity(string): bool', (text: string) => parseCelQuantity(text) !== undefined);
  add('quantity(string): Quantity', quantityOf);
  add('Quantity.sign(): int', (quantity: CelQuantity) => quantity.compare(new CelQuantity(0n)));
  add('Quantity.isInteger(): bool', (quantity: CelQuantity) => quantity.asInteger() !== undefined);
  add('Quantity.asInteger(): int', integerOf);
  add('Quantity.asApproximateFloat(): double', (quantity: CelQuantity) => quantity.asNumber());
  add('Quantity.isGreaterThan(Quantity): bool', (a: CelQuantity, b: CelQuantity) => a.compare(b) > 0n);
  add('Quantity.isLessThan(Quantity): bool', (a: CelQuantity, b: CelQuantity) => a.compare(b) < 0n);
  add('Quantity.compareTo(Quantity): int', (a: CelQuantity, b: CelQuantity) => a.compare(b));
  add('Quantity.add(Quantity): Quantity', (a: CelQuantity, b: CelQuantity) => new CelQuantity(a.nanos + b.nanos));
  add('Quantity.add(int): Quantity', (a: CelQuantity, b: bigint) => new CelQuantity(a.nanos + whole(b)));
  add('Quantity.sub(Quantity): Quantity', (a: CelQuantity, b: CelQuantity) => new CelQuantity(a.nanos - b.nanos));
  add('Quantity.sub(int): Quantity', (a: CelQuantity, b: bigint) => new CelQuantity(a.nanos - whole(b)));
  environment.registerOperator('Quantity == Quantity', (a: CelQuantity, b: CelQuantity) => a.compare(b) === 0n);
}

function whole(value: bigint): bigint {
  return value * 1_000_000_000n;
}

function quantityOf(text: string): CelQuantity {
  const quantity = parseCelQuantity(text);
  if (quantity) return quantity;
  throw new Error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

function integerOf(quantity: CelQuantity): bigint {
  const integer = quantity.asInteger();
  if (integer === undefined) throw new Error('cannot convert value to integer');
  return integer;
}
