import { type Fields, isObject, sameJson } from '@holdfast/base/json';

/** What the server keeps by itself, or others write meanwhile. */
const untold = new Set(['status', 'metadata.managedFields', 'metadata.resourceVersion', 'metadata.generation']);

/** Paths of the fields that are not the same. A list that became longer or shorter counts as one field. */
export function changedFields(before: Fields, after: Fields): readonly string[] {
  return differences(before, after, '').toSorted();
}

function differences(left: unknown, right: unknown, path: string): readonly string[] {
  if (untold.has(path) || sameJson(left, right)) return [];
  if (Array.isArray(left) && Array.isArray(right) && left.length === right.length) {
    return left.flatMap((item, index) => differences(item, right[index], `${path}[${index}]`));
  }
  if (!isObject(left) || !isObject(right)) return [path];
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keys].flatMap((key) => differences(own(left, key), own(right, key), joined(path, key)));
}

/** `constructor` is a key like any other, and not to be found on the prototype. */
function own(source: Fields, key: string): unknown {
  return Object.hasOwn(source, key) ? source[key] : undefined;
}

function joined(path: string, key: string): string {
  if (!/^[\w-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}
