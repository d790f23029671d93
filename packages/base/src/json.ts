/** Questions about unchecked JSON. */

export type Fields = Readonly<Record<string, unknown>>;

const maxInt32 = 2_147_483_647;

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An optional object, list or pointer: Kubernetes writes "not there" both ways. */
export function isUnset(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

export function isInt32From(minimum: number, value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maxInt32;
}

/** No field of ours nests deeper, and unchecked JSON may nest deeper than the stack. */
const maxCompared = 32;

/** Deep equality of JSON. A field that is null is a field that is not there; what is too deep to compare differs. */
export function sameJson(left: unknown, right: unknown, levels = maxCompared): boolean {
  if (left === right) return true;
  if (isUnset(left) || isUnset(right)) return isUnset(left) && isUnset(right);
  if (levels === 0) return false;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => sameJson(item, right[index], levels - 1));
  }
  if (!isObject(left) || !isObject(right)) return left === right;
  return (
    Object.keys(left).every((key) => sameJson(left[key], ownValue(right, key), levels - 1)) &&
    Object.keys(right).every((key) => Object.hasOwn(left, key) || isUnset(right[key]))
  );
}

/** Reads a key that a person chose: `constructor` must not be found on the prototype. */
function ownValue(source: Fields, key: string): unknown {
  return Object.hasOwn(source, key) ? source[key] : undefined;
}
