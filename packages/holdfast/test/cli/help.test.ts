import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Ran } from '../../../../test/e2e/support/holdfast.ts';
import { builtCommand, ensureBuilt } from '../../../../test/support/built.ts';
import { commands } from '../../src/cli/commands.ts';

ensureBuilt();

function holdfast(...args: readonly string[]): Promise<Ran> {
  return new Promise((done) => {
    execFile(process.execPath, [builtCommand, ...args], (error, out, err) => {
      done({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

describe('help', () => {
  it.each([['help', 'nosuch'], ['nosuch']])('says that there is no such command: %s %s', async (...words) => {
    const { code, out, err } = await holdfast(...words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^error: unknown command 'nosuch'\n/);
  });

  it('suggests the command that was meant', async () => {
    const { code, err } = await holdfast('help', 'statsu');
    expect(code).toBe(2);
    expect(err).toContain('(Did you mean status?)');
  });

  it.each(Object.keys(commands))('of %s fits a terminal of 80 columns, as far as options go', async (command) => {
    const { code, out } = await holdfast('help', command);
    expect(code).toBe(0);
    const options = out.slice(out.indexOf('\nOptions:')).split('\n\n')[0] ?? '';
    expect(options.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

describe('the version', () => {
  it('is that of the package, as a command and as an option', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect((await holdfast('--version')).out).toBe(`${version}\n`);
    expect((await holdfast('version')).out).toBe(`holdfast ${version} (Node.js ${process.version})\n`);
  });
});
