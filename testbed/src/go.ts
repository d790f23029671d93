import { spawn, spawnSync } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import type { Environment } from './modules.ts';

export interface GoWork {
  readonly go: string;
  /** The folder of the module. */
  readonly cwd: string;
  readonly args: readonly string[];
  /** What it is for, in messages. */
  readonly what: string;
  readonly env: Environment;
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** Says every half minute that it is still at work: one program can take five minutes. */
const progressMs = 30_000;

export function runGo({ go, cwd, args, what, env, say, signal }: GoWork): Promise<void> {
  const child = spawn(go, args, {
    cwd,
    env: { ...env, CGO_ENABLED: '0' },
    stdio: ['ignore', 'inherit', 'inherit'],
    ...(signal && { signal }),
  });
  // Minutes of all cores: other work on this machine comes first.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const begin = Date.now();
  const progress = setInterval(() => say(`  still building ${what} (${seconds(begin)})`), progressMs);
  return new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, ended) => {
      if (code === 0) resolve();
      else reject(new Error(`go ${args[0]} of ${what} ended with ${ended ?? code}; what it said is above`));
    });
  }).finally(() => clearInterval(progress));
}

export function seconds(begin: number): string {
  return `${Math.round((Date.now() - begin) / 1000)} s`;
}

/** Where Go keeps the source of a module that is already there. */
export function moduleSource(go: string, cwd: string, module: string): string {
  const list = ['list', '-mod=readonly', '-m', '-f', '{{.Dir}}', module];
  const { status, stdout, stderr } = spawnSync(go, list, { cwd, encoding: 'utf8' });
  const folder = stdout.trim();
  if (status !== 0 || folder === '') throw new Error(`go cannot say where the source of ${module} is: ${stderr}`);
  return folder;
}
