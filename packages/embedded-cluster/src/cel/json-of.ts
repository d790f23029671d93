import type { JsonObject } from '../objects.ts';

export class NotJson extends Error {
  override readonly name = 'NotJson';
}

/** A result of an expression as JSON again. */
export function jsonOf(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
    return value;
  if (Array.isArray(value)) return value.map(jsonOf);
  if (value instanceof Map) return objectOf(value.entries());
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  if (typeof value === 'object' && isPlain(value)) return objectOf(Object.entries(value));
  throw new NotJson(`a value of the type ${value?.constructor?.name ?? typeof value} cannot be part of an object`);
}

function objectOf(entries: Iterable<[unknown, unknown]>): JsonObject {
  const object: JsonObject = {};
  for (const [key, inner] of entries) {
    if (typeof key !== 'string') throw new NotJson(`${String(key)} is no name of a field`);
    // The expression chose the key, and assigning `__proto__` would set something else.
    Object.defineProperty(object, key, { value: jsonOf(inner), enumerable: true, configurable: true, writable: true });
  }
  return object;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
