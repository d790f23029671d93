/** JSON as CEL sees it: integers are int (bigint), other numbers double, objects are maps with any key whatever its name. */

/** Deeper JSON never gets this far; the bound keeps a mistake elsewhere from becoming a stack overflow here. */
const maxDepth = 2_000;

/**
 * Lists that hold CEL values already. A result of one expression can so be a binding of the next. Maps need no mark: JSON has none. Nor
 * do lists within a converted value: to convert one of them again is a waste, and changes nothing.
 */
const converted = new WeakSet<object>();

class ValueTooDeep extends Error {}

/** Converts once; giving the answer to several evaluations costs nothing more. A Map is taken as CEL values as it is. */
export function celValue(json: unknown): unknown {
  return markConverted(convert(json, maxDepth));
}

function convert(json: unknown, levels: number): unknown {
  if (typeof json === 'number') return celNumber(json);
  if (typeof json !== 'object' || json === null || json instanceof Map || converted.has(json)) return json;
  if (levels === 0) throw new ValueTooDeep(`values nest deeper than ${maxDepth} levels`);
  if (Array.isArray(json)) return json.map((item) => convert(item, levels - 1));
  if (!isPlain(json)) return json;
  const map = new Map<string, unknown>();
  for (const key of Object.keys(json)) {
    const value = (json as Record<string, unknown>)[key];
    if (value !== undefined) map.set(key, convert(value, levels - 1));
  }
  return map;
}

export function markConverted<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !(value instanceof Map)) converted.add(value);
  return value;
}

function celNumber(value: number): bigint | number {
  return Number.isSafeInteger(value) ? BigInt(value) : value;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Counts the parts of a value, but no further than the limit: what a comparison of it may cost. */
export function weight(value: unknown, limit: number): number {
  if (limit <= 0) return 1;
  if (typeof value === 'string') return 1 + (value.length >> 6);
  if (typeof value !== 'object' || value === null) return 1;
  let total = 1;
  for (const part of parts(value)) {
    total += weight(part, limit - total);
    if (total >= limit) break;
  }
  return total;
}

function parts(value: object): Iterable<unknown> {
  if (Array.isArray(value)) return value;
  if (value instanceof Map) return value.values();
  return isPlain(value) ? Object.values(value) : [];
}
