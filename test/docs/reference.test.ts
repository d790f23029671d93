import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { annotation, condition, label } from '../../packages/holdfast/src/api/names.ts';

it('docs/reference/names.md lists exactly the names that the code knows', () => {
  const text = readFileSync('docs/reference/names.md', 'utf8');
  const documented = [...text.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1]);
  const known = [annotation, label, condition].flatMap((names) => Object.values(names));
  expect(documented.sort()).toEqual([...known].sort());
});
