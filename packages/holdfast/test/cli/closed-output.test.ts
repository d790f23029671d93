import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { builtCommand, ensureBuilt } from '../../../../test/support/built.ts';

ensureBuilt();
const folder = mkdtempSync(join(tmpdir(), 'holdfast-closed-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Budgets that select nothing, so that every one is a finding: more output than a pipe holds. */
function manyBudgets(): string {
  const items = Array.from({ length: 2_000 }, (_, index) => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: `budget-${index}`, namespace: 'shop' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: `app-${index}` } } },
  }));
  const path = join(folder, 'many.json');
  writeFileSync(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  return path;
}

interface Ended {
  readonly code: number | null;
  readonly err: string;
}

/** Runs the command, and closes the pipe after its first bytes, as `head -1` does. */
function closedEarly(...args: readonly string[]): Promise<Ended> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [builtCommand, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let err = '';
    child.stdout.once('data', () => child.stdout.destroy());
    child.stderr.on('data', (part: Buffer) => (err += part.toString()));
    child.once('close', (code) => done({ code, err }));
  });
}

it.each([
  ['lint', [] as readonly string[]],
  ['lint for programs', ['-o', 'json']],
])('%s ends without a word when the reader of its output leaves', async (_, options) => {
  // 141: as a shell reports a command that ended because its pipe was closed.
  expect(await closedEarly('lint', manyBudgets(), ...options)).toEqual({ code: 141, err: '' });
});
