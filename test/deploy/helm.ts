import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../testbed/src/find.ts';
import { programs } from '../../testbed/src/programs.ts';

const found = findProgram(programs.helm, process.env);

/** Undefined: it was not built, and tests that need it are skipped. CI builds it. */
export const helmPath = found.kind === 'found' ? found.path : undefined;

if (helmPath === undefined) {
  process.stderr.write(
    'helm is not in the cache: its tests are skipped. To run them: npm run testbed -- build --helm\n',
  );
}

export const chartFolder = 'deploy/chart';

export interface HelmRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Without the settings and caches of the machine. Asynchronous: the cluster that it talks to may be in this process. */
export async function helm(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<HelmRun> {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-helm-'));
  const ran = await runProgram(helmPath ?? 'helm', args, { PATH: process.env['PATH'], HOME: home, ...env });
  rmSync(home, { recursive: true, force: true });
  return ran;
}

export function runProgram(path: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<HelmRun> {
  const options = { encoding: 'utf8', timeout: 110_000, maxBuffer: 64 * 1024 * 1024, env } as const;
  return new Promise((resolve) => {
    const child = execFile(path, args, options, (_, stdout, stderr) => {
      resolve({ status: child.exitCode, stdout, stderr });
    });
  });
}

/** Calls with the path of a file that holds the values, as JSON, which is YAML. */
export async function withValuesFile<T>(values: unknown, use: (path: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-values-'));
  try {
    const path = join(folder, 'values.yaml');
    writeFileSync(path, JSON.stringify(values));
    return await use(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function helmTemplate(values: unknown, namespace: string, more: readonly string[] = []): Promise<HelmRun> {
  return withValuesFile(values, (path) =>
    helm(['template', 'holdfast', chartFolder, '--namespace', namespace, '--values', path, ...more]),
  );
}
