import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';

/** With UPDATE_GOLDEN=1 the files are written as they came out: read the difference before you commit it. */
const update = process.env['UPDATE_GOLDEN'] === '1';

/** Compares an output with the file that holds what it should be. */
export function expectGolden(name: string, text: string): void {
  const path = new URL(`golden/${name}.txt`, import.meta.url);
  if (update) writeFileSync(path, text);
  else expect(text, `${name}.txt`).toBe(existsSync(path) ? readFileSync(path, 'utf8') : 'there is no such file yet');
}
