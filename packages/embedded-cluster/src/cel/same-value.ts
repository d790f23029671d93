import { spend } from './budget.ts';

/** Whether CEL's `==` holds, for functions that search: numbers by value, lists and maps part by part. */
export function sameValue(a: unknown, b: unknown): boolean {
  spend(1);
  if (a === b) return true;
  if (typeof a !== typeof b) return isNumber(a) && isNumber(b) && Number(a) === Number(b);
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
  }
  const [left, right] = [entries(a), entries(b)];
  if (left && right) {
    return (
      left.size === right.size && [...left].every(([key, value]) => right.has(key) && sameValue(value, right.get(key)))
    );
  }
  if (typeof a !== 'object' || a === null || b === null) return false;
  return a.constructor === (b as object).constructor && !left && String(a) === String(b);
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function entries(value: unknown): Map<unknown, unknown> | undefined {
  if (value instanceof Map) return value;
  const plain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return plain ? new Map(Object.entries(value)) : undefined;
}
