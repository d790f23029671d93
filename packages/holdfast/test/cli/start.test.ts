import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasKubectl } from '../../../../test/clients/kubectl.ts';
import { builtCommand, ensureBuilt } from '../../../../test/support/built.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-plugin-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** As `npm install` puts them on the PATH. */
beforeAll(() => {
  ensureBuilt();
  const { bin } = JSON.parse(readFileSync('package.json', 'utf8')) as { bin: Record<string, string> };
  for (const [name, file] of Object.entries(bin)) symlinkSync(resolve(file), join(folder, name));
});

const env = {
  PATH: `${folder}${delimiter}${dirname(process.execPath)}${delimiter}${process.env['PATH']}`,
  HOME: folder,
};

function ran(program: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(program, args, { env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** The files that are read before the first line of a module runs. */
function loadedBy(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(
    /^import (?:[^'"(]*? from )?"(\.[^"]+)";$|^\} from "(\.[^"]+)";$/gm,
  );
  for (const [, bare, list] of imports) loadedBy(resolve(dirname(file), bare ?? list ?? ''), seen);
  return seen;
}

describe('holdfast', () => {
  it('reads next to nothing to show its help: time is mostly spent on reading code', () => {
    const files = [...loadedBy(builtCommand)];
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
    expect(files.length).toBeGreaterThan(1);
    expect(bytes).toBeLessThan(200_000);
    expect(ran('holdfast', '--help').stdout).toContain('explain why a pod, a node or a budget');
  });

  it.each([
    [['help', 'status'], 'Usage: holdfast status'],
    [['status', '--help'], 'Usage: holdfast status'],
    [['--version'], '0.1.0'],
  ])('answers %j', (args, text) => {
    expect(ran('holdfast', ...args)).toMatchObject({ status: 0, stdout: expect.stringContaining(text) });
  });

  it('says where to look when a command does not exist, or none is named', () => {
    const wrong = ran('holdfast', 'statsu');
    expect(wrong).toMatchObject({ status: 2, stdout: '' });
    expect(wrong.stderr).toContain("unknown command 'statsu'");
    expect(ran('holdfast').stderr).toContain('Commands:');
  });

  it('says what to do where there is no cluster', () => {
    const lost = ran('holdfast', 'status');
    expect(lost).toMatchObject({ status: 2, stdout: '' });
    expect(lost.stderr).toMatch(/^error: there is no kubeconfig: .*\nName a cluster with --kubeconfig FILE/);
  });
});

describe.skipIf(!hasKubectl)('kubectl holdfast', () => {
  it('is the same command', () => {
    expect(ran('kubectl', 'holdfast', 'status', '--help').stdout).toContain('Usage: holdfast status');
  });

  it('completes, and says whether more is to come', () => {
    expect(ran('kubectl', '__complete', 'holdfast', 'stat').stdout).toMatch(/^status\n:4\n/);
    expect(ran('kubectl', '__complete', 'holdfast', 'explain', 'no').stdout).toMatch(/^node\/\n:6\n/);
    expect(ran('kubectl', '__complete', 'holdfast', 'status', '-o', '').stdout).toMatch(/^wide\njson\nyaml\n:4\n/);
  });
});
