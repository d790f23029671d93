import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Clause {
  readonly id: string;
  readonly files: readonly string[];
}

function readClauses(): readonly Clause[] {
  const text = readFileSync('docs/SPEC.md', 'utf8');
  return text
    .split(/^### /m)
    .slice(1)
    .map((section) => {
      const id = section.slice(0, section.indexOf(' '));
      const files = /^Tests: (.+(?:\n.+)*)/m.exec(section)?.[1] ?? '';
      return {
        id,
        files: files
          .split(',')
          .map((file) => file.trim())
          .filter((file) => file !== ''),
      };
    });
}

/** The clause tags in the titles of the tests of a file: inside a string, not in a comment, and not an index. */
function tagsOf(file: string): ReadonlySet<string> {
  const lines = readFileSync(file, 'utf8').split('\n');
  const text = lines.filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line) && /['"`]\[[A-Z][0-9]+\]/.test(line)).join('\n');
  return new Set([...text.matchAll(/\[([A-Z][0-9]+)\]/g)].map((match) => match[1] as string));
}

function testFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join(folder, file));
}

const clauses = readClauses();

describe('docs/SPEC.md', () => {
  it('has the twelve invariants', () => {
    const ids = clauses.map((clause) => clause.id);
    for (let i = 1; i <= 12; i += 1) expect(ids).toContain(`I${i}`);
  });

  it('names every clause once', () => {
    const ids = clauses.map((clause) => clause.id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it.each(clauses)('ties $id to tests that name it', ({ id, files }) => {
    expect(files, `${id} names no tests`).not.toHaveLength(0);
    for (const file of files) expect(tagsOf(file), `${file} has no test for ${id}`).toContain(id);
  });

  it.each(testFiles('test').map((file) => ({ file })))('knows every clause that $file names', ({ file }) => {
    const known = new Set(clauses.map((clause) => clause.id));
    expect([...tagsOf(file)].filter((tag) => !known.has(tag))).toEqual([]);
  });
});
