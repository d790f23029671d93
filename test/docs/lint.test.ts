import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { rules } from '../../packages/holdfast/src/core/lint/lint.ts';

it('docs/reference/lint.md lists exactly the rules of the code, word for word', () => {
  const text = readFileSync('docs/reference/lint.md', 'utf8');
  const documented = [...text.matchAll(/^\| `HF\d+` \|.*$/gm)].map(([row]) => row);
  const rows = rules.map(
    ({ code, name, severity, why, fix }) => `| \`${code}\` | ${name} | ${severity} | ${why} | ${fix} |`,
  );
  expect(documented).toEqual(rows);
});
