import { expect, test } from 'vitest';
import { mistakenSource } from './mistaken-source.ts';
import { mistakes } from './mistakes.ts';

/** What `npm run test:bite` puts back in. A text that the code no longer has would make a mistake that is none. */
test.each(mistakes)('the source can still be given the mistake "$name"', (mistake) => {
  for (const [path, text] of mistakenSource(mistake)) {
    expect(path).toMatch(/\.ts$/);
    expect(text).not.toBe('');
  }
});

test('every mistake has a name of its own', () => {
  expect(new Set(mistakes.map(({ name }) => name)).size).toBe(mistakes.length);
});
