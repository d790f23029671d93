import type { StringMap } from '@holdfast/base/meta';

/** The value of a label. Keys like `constructor` are valid, and every object inherits one: only its own count. */
export function labelOf(labels: StringMap, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
