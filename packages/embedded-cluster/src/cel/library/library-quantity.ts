import type { Environment } from '@marcbachmann/cel-js';
import { parseQuantity, Quantity } from '../quantity.ts';

const sync = { async: false };

export function registerQuantity(environment: Environment): void {
  const add = (signature: string, handler: (...args: never[]) => unknown) =>
    environment.registerFunction(signature, handler, sync);
  environment.registerType('Quantity', Quantity);
  add('isQuantity(string): bool', (text: string) => parseQuantity(text) !== undefined);
  add('quantity(string): Quantity', quantityOf);
  add('Quantity.sign(): int', (quantity: Quantity) => quantity.compare(new Quantity(0n)));
  add('Quantity.isInteger(): bool', (quantity: Quantity) => quantity.asInteger() !== undefined);
  add('Quantity.asInteger(): int', integerOf);
  add('Quantity.asApproximateFloat(): double', (quantity: Quantity) => quantity.asNumber());
  add('Quantity.isGreaterThan(Quantity): bool', (a: Quantity, b: Quantity) => a.compare(b) > 0n);
  add('Quantity.isLessThan(Quantity): bool', (a: Quantity, b: Quantity) => a.compare(b) < 0n);
  add('Quantity.compareTo(Quantity): int', (a: Quantity, b: Quantity) => a.compare(b));
  add('Quantity.add(Quantity): Quantity', (a: Quantity, b: Quantity) => new Quantity(a.nanos + b.nanos));
  add('Quantity.add(int): Quantity', (a: Quantity, b: bigint) => new Quantity(a.nanos + whole(b)));
  add('Quantity.sub(Quantity): Quantity', (a: Quantity, b: Quantity) => new Quantity(a.nanos - b.nanos));
  add('Quantity.sub(int): Quantity', (a: Quantity, b: bigint) => new Quantity(a.nanos - whole(b)));
  environment.registerOperator('Quantity == Quantity', (a: Quantity, b: Quantity) => a.compare(b) === 0n);
}

function whole(value: bigint): bigint {
  return value * 1_000_000_000n;
}

function quantityOf(text: string): Quantity {
  const quantity = parseQuantity(text);
  if (quantity) return quantity;
  throw new Error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

function integerOf(quantity: Quantity): bigint {
  const integer = quantity.asInteger();
  if (integer === undefined) throw new Error('cannot convert value to integer');
  return integer;
}
