import type { Environment } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { spend } from '../budget.ts';
import { replacementOf } from '../metering.ts';
import { sameValue } from '../same-value.ts';

const sync = { async: false };

type List = readonly unknown[];

/** Namespaces of the language are values of a type of their own: `sets.contains(a, b)`. */
class SetsNamespace {}

export function registerLists(environment: Environment): void {
  const add = (signature: string, handler: (...args: never[]) => unknown) =>
    environment.registerFunction(signature, handler, sync);
  add('list.isSorted(): bool', (list: List) => paired(list, (a, b) => compare(a, b) <= 0));
  add('list.sum(): dyn', sum);
  add('list.min(): dyn', (list: List) => extreme(list, -1, 'min'));
  add('list.max(): dyn', (list: List) => extreme(list, 1, 'max'));
  add(`list.${replacementOf('indexOf')}(dyn): int`, (list: List, item: unknown) =>
    BigInt(paid(list).findIndex((other) => sameValue(other, item))),
  );
  add(`list.${replacementOf('lastIndexOf')}(dyn): int`, (list: List, item: unknown) =>
    BigInt(paid(list).findLastIndex((other) => sameValue(other, item))),
  );
  registerSets(environment);
}

function registerSets(environment: Environment): void {
  const add = (signature: string, handler: (...args: never[]) => unknown) =>
    environment.registerFunction(signature, handler, sync);
  environment.registerType('SetsNamespace', SetsNamespace);
  environment.registerConstant('sets', 'SetsNamespace', new SetsNamespace());
  const contains = (list: List, part: List) => part.every((item) => paid(list).some((other) => sameValue(other, item)));
  add('SetsNamespace.contains(list, list): bool', (_: unknown, list: List, part: List) => contains(list, part));
  add('SetsNamespace.equivalent(list, list): bool', (_: unknown, a: List, b: List) => contains(a, b) && contains(b, a));
  add('SetsNamespace.intersects(list, list): bool', (_: unknown, a: List, b: List) =>
    a.some((item) => paid(b).some((other) => sameValue(other, item))),
  );
}

function paid(list: List): List {
  spend(list.length);
  return list;
}

function paired(list: List, holds: (a: unknown, b: unknown) => boolean): boolean {
  return paid(list).every((item, index) => index === 0 || holds(list[index - 1], item));
}

function compare(a: unknown, b: unknown): number {
  const [left, right] = [comparable(a), comparable(b)];
  if (typeof left !== typeof right) throw new Error('no such overload');
  return left < right ? -1 : left > right ? 1 : 0;
}

function comparable(value: unknown): string | number | bigint | boolean {
  if (value instanceof Date || value instanceof Duration) return Number(value.valueOf());
  if (['string', 'number', 'bigint', 'boolean'].includes(typeof value))
    return value as string | number | bigint | boolean;
  throw new Error('no such overload');
}

function extreme(list: List, sign: 1 | -1, name: string): unknown {
  if (list.length === 0) throw new Error(`${name} called on empty list`);
  return paid(list).reduce((best, item) => (compare(item, best) * sign > 0 ? item : best));
}

function sum(list: List): unknown {
  const [first] = paid(list);
  if (first === undefined) return 0n;
  if (list.every((item) => typeof item === 'bigint')) return list.reduce((total, item) => total + item, 0n);
  if (list.every((item) => typeof item === 'number')) return list.reduce((total, item) => total + item, 0);
  if (first instanceof Duration && list.every((item) => item instanceof Duration)) {
    return list.slice(1).reduce((total: Duration, item) => total.addDuration(item), first);
  }
  throw new Error('no such overload');
}
