import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { conditionCodes, passCodes, refusalCodes, warningCodes } from '../../src/api/reasons.ts';

/** The codes in the first column of the table under a heading of docs/reasons.md. */
function documented(heading: string): readonly string[] {
  const text = readFileSync('docs/reasons.md', 'utf8');
  const section = text.split(/^## /m).find((one) => one.startsWith(heading)) ?? '';
  return [...section.matchAll(/^\| `([A-Za-z]+)` \| (.+) \|$/gm)].map((match) => match[1] as string);
}

describe('docs/reasons.md', () => {
  it.each([
    { heading: 'Refusals', codes: refusalCodes },
    { heading: 'Why something passes', codes: passCodes },
    { heading: 'Warnings', codes: warningCodes },
    { heading: 'Conditions and their reasons', codes: conditionCodes },
  ])('lists exactly the codes of "$heading"', ({ heading, codes }) => {
    expect([...documented(heading)].sort()).toEqual([...codes].sort());
  });
});
