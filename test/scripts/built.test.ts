import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { areUnchanged, ensureBuilt } from '../support/built.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-built-'));
const file = join(folder, 'a.ts');
/** Of the text `a`. */
const hash = 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb';

describe('whether tests build the command again', () => {
  beforeAll(() => ensureBuilt());
  afterAll(() => rmSync(folder, { recursive: true }));

  it('not while each file has the content that it was built from', () => {
    writeFileSync(file, 'a');
    expect(areUnchanged({ [file]: hash })).toBe(true);
  });

  it('once one of them has another content, or is deleted', () => {
    writeFileSync(file, 'b');
    expect(areUnchanged({ [file]: hash })).toBe(false);
    rmSync(file);
    expect(areUnchanged({ [file]: hash })).toBe(false);
  });

  it('is known of every source, package and setting that a build reads', () => {
    const inputs = JSON.parse(readFileSync('dist/inputs.json', 'utf8')) as Readonly<Record<string, string>>;
    expect(areUnchanged(inputs)).toBe(true);
    const read = ['packages/holdfast/src/cli/main.ts', 'packages/dashboard/index.html', 'scripts/build.mjs'];
    const packages = ['package-lock.json', 'node_modules/yaml/dist/index.js'];
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining([...read, ...packages]));
  });
});
