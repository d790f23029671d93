import { spawnSync } from 'node:child_process';

export interface KubectlResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the kubectl on PATH. Objects go in by standard input. */
export function kubectl(args: readonly string[], input?: unknown): KubectlResult {
  const result = spawnSync('kubectl', args, {
    encoding: 'utf8',
    timeout: 60_000,
    ...(input === undefined ? {} : { input: JSON.stringify(input) }),
  });
  if (result.error !== undefined) throw result.error;
  return { status: result.status ?? 1, stdout: result.stdout, stderr: result.stderr };
}

/** These tests install things. They run only where the user said so, by the name of the context. */
export function requireTestContext(): void {
  const wanted = process.env['HOLDFAST_TEST_CONTEXT'];
  const current = kubectl(['config', 'current-context']).stdout.trim();
  if (wanted === undefined || wanted === '' || wanted !== current) {
    throw new Error(
      `the current context is "${current}"; set HOLDFAST_TEST_CONTEXT to its name to allow these tests to change that cluster`,
    );
  }
}
