import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { walkOfOneEviction } from './measure.ts';

/** What is told of a request is listed, and not counted. */
const uncounted = 'telemetry';
const mostFiles = 50;

/** The block below the heading: a folder and the names of its files on each line. */
function listedFiles(): readonly string[] {
  const [, section = ''] = readFileSync('docs/ARCHITECTURE.md', 'utf8').split('### The walk, measured');
  const block = /^```\n([^`]*)^```/m.exec(section)?.[1] ?? '';
  const lines = block.trim().split('\n');
  return lines.flatMap((line) => {
    const [folder = '', ...names] = line.split(/\s+/);
    return names.map((name) => `${folder}/${name}.ts`);
  });
}

it('docs/ARCHITECTURE.md lists the files that one eviction passes, and they are few', async () => {
  const walked = [...(await walkOfOneEviction()).keys()];
  expect([...listedFiles()].sort()).toEqual([...walked].sort());
  expect(walked.filter((file) => !file.startsWith(uncounted)).length).toBeLessThanOrEqual(mostFiles);
});
