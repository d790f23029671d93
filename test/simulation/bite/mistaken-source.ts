import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mistake } from './mistake.ts';

const src = fileURLToPath(new URL('../../../packages/holdfast/src', import.meta.url));

/** The files that a mistake changes, with their text as it is then. Throws where the table is out of date. */
export function mistakenSource({ name, edits }: Mistake): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { file, find, replace } of edits) {
    const path = resolve(src, file);
    const text = texts.get(path) ?? readFileSync(path, 'utf8');
    const parts = text.split(find);
    if (parts.length !== 2) {
      throw new Error(`"${name}": found ${parts.length - 1} times in ${file}, not once: ${find}`);
    }
    texts.set(path, parts.join(replace));
  }
  return texts;
}
