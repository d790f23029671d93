import type { FieldTree } from './field-set.ts';

/**
 * Objects that the same programs write in the same way have the same sets of fields, which are the larger part of a small
 * object: of equal trees one is kept, and all objects share it.
 */

/** Then everything is forgotten and collected again; what is shared already stays so. */
const maxKnown = 2_000;

const known = new Map<string, FieldTree>();
/** Every tree that was kept has a number, by which the trees above it know it. */
const numbers = new WeakMap<FieldTree, number>();
let lastNumber = 0;

/** The one tree that stands for all that equal this one. Neither may ever be changed. */
export function internFields(tree: FieldTree): FieldTree {
  if (numbers.has(tree)) return tree;
  const parts: string[] = [];
  let shared: Record<string, FieldTree> | undefined;
  for (const element of Object.keys(tree)) {
    const child = tree[element] as FieldTree;
    const kept = internFields(child);
    if (kept !== child) {
      shared ??= { ...tree };
      shared[element] = kept;
    }
    parts.push(String(element.length), element, String(numbers.get(kept)));
  }
  const key = parts.join(' ');
  return known.get(key) ?? keep(key, shared ?? tree);
}

function keep(key: string, tree: FieldTree): FieldTree {
  if (known.size >= maxKnown) known.clear();
  known.set(key, tree);
  lastNumber += 1;
  numbers.set(tree, lastNumber);
  return tree;
}
