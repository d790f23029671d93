import { spawnSync } from 'node:child_process';
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

/** Without the settings and caches of the machine. */
export function helm(args: readonly string[], env: Readonly<Record<string, string>> = {}): HelmRun {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-helm-'));
  try {
    const { status, stdout, stderr } = spawnSync(helmPath ?? 'helm', args, {
      encoding: 'utf8',
      timeout: 110_000,
      maxBuffer: 64 * 1024 * 1024,
      env: { PATH: process.env['PATH'], HOME: home, ...env },
    });
    return { status, stdout, stderr };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Calls with the path of a file that holds the values, as JSON, which is YAML. */
export function withValuesFile<T>(values: unknown, use: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-values-'));
  try {
    const path = join(folder, 'values.yaml');
    writeFileSync(path, JSON.stringify(values));
    return use(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function helmTemplate(values: unknown, namespace: string, more: readonly string[] = []): HelmRun {
  return withValuesFile(values, (path) =>
    helm(['template', 'holdfast', chartFolder, '--namespace', namespace, '--values', path, ...more]),
  );
}
