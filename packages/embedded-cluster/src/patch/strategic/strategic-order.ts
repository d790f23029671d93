/** In which order the elements of merged lists stand: as in the patch, then as in the original, interleaved. */

import { isMap } from '../json-tree.ts';
import { refusals } from './strategic-directives.ts';

/** What tells an element of a list from the others: its merge key's value, or itself. */
export function identity(element: unknown, mergeKey: string | undefined): unknown {
  if (mergeKey === undefined || !isMap(element)) return element;
  if (!Object.hasOwn(element, mergeKey)) throw refusals.noMergeKey(element, mergeKey);
  return element[mergeKey];
}

/** Where in the list the first element with each identity stands. */
export function positions(list: readonly unknown[], mergeKey: string | undefined): Map<unknown, number> {
  const result = new Map<unknown, number>();
  list.forEach((element, index) => {
    const id = identity(element, mergeKey);
    if (!result.has(id)) result.set(id, index);
  });
  return result;
}

/**
 * Elements named by `wanted` take its order; the others keep the order they had in `original`, each put in front of the first wanted
 * element that used to follow it.
 */
export function ordered(
  merged: readonly unknown[],
  wanted: readonly unknown[],
  original: readonly unknown[],
  mergeKey: string | undefined,
): unknown[] {
  const inWanted = positions(wanted, mergeKey);
  const inOriginal = positions(original, mergeKey);
  const at = (places: Map<unknown, number>, element: unknown) => places.get(identity(element, mergeKey)) ?? -1;
  const named = merged.filter((element) => at(inWanted, element) >= 0);
  const others = merged.filter((element) => at(inWanted, element) < 0);
  named.sort((left, right) => at(inWanted, left) - at(inWanted, right));
  others.sort((left, right) => at(inOriginal, left) - at(inOriginal, right));
  return interleave(others, named, (element) => at(inOriginal, element));
}

function interleave(
  others: readonly unknown[],
  named: readonly unknown[],
  place: (element: unknown) => number,
): unknown[] {
  const result: unknown[] = [];
  let next = 0;
  for (const element of named) {
    const limit = place(element);
    while (next < others.length && limit >= 0 && place(others[next]) >= 0 && place(others[next]) < limit) {
      result.push(others[next]);
      next += 1;
    }
    result.push(element);
  }
  return result.concat(others.slice(next));
}
