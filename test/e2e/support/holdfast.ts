import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { builtCommand } from '../../support/built.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export type Holdfast = (...args: readonly string[]) => Promise<Ran>;

/** The command as people run it, with a kubeconfig and a home of its own. */
export function holdfastFor(kubeconfig: string, more: Readonly<Record<string, string>> = {}): Holdfast {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-cli-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  const config = join(home, 'kubeconfig');
  writeFileSync(config, kubeconfig, { mode: 0o600 });
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, KUBECONFIG: config, ...more };
  return (...args) =>
    new Promise((done) => {
      execFile(process.execPath, [builtCommand, ...args], { env, timeout: 60_000 }, (error, out, err) => {
        done({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, out, err });
      });
    });
}
