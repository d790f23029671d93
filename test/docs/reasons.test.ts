import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  conditionCodes,
  passCodes,
  refusalCodes,
  warningCodes,
} from '../../packages/holdfast/src/api/refusals/reasons.ts';
import { outlookOf } from '../../packages/holdfast/src/api/refusals/refusal-outlook.ts';

/** The codes in the first column of the table under a heading of docs/reference/reasons.md. */
function documented(heading: string): readonly string[] {
  const text = readFileSync('docs/reference/reasons.md', 'utf8');
  const section = text.split(/^## /m).find((one) => one.startsWith(heading)) ?? '';
  return [...section.matchAll(/^\| `([A-Za-z]+)` \| (.+) \|$/gm)].map((match) => match[1] as string);
}

describe('docs/reference/reasons.md', () => {
  it.each([
    { heading: 'Refusals', codes: refusalCodes },
    { heading: 'Why something passes', codes: passCodes },
    { heading: 'Warnings', codes: warningCodes },
    { heading: 'Conditions and their reasons', codes: conditionCodes },
  ])('lists exactly the codes of "$heading"', ({ heading, codes }) => {
    expect([...documented(heading)].sort()).toEqual([...codes].sort());
  });

  it('[I15] says of each refusal whether waiting helps', () => {
    const text = readFileSync('docs/reference/reasons.md', 'utf8');
    const rows = [...text.matchAll(/^\| `([A-Za-z]+)` \| (moment|wait|change) \|/gm)].map(([, code, outlook]) => [
      code,
      outlook,
    ]);
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(refusalCodes.map((code) => [code, outlookOf(code)])));
  });
});
