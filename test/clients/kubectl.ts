import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The one on PATH, unless KUBECTL says which. */
const binary = process.env['KUBECTL'] ?? 'kubectl';

export const hasKubectl = spawnSync(binary, ['version', '--client']).status === 0;

export interface Result {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Kubectl {
  /** Never synchronously: the server is in this process and could not answer. */
  (args: string, input?: string): Promise<Result>;
  /** `kubectl edit`, with a script for sed in place of a person. */
  edit(what: string, script: string): Promise<Result>;
  close(): Promise<void>;
}

/** kubectl with a home of its own, so that neither settings nor caches of the user who runs the tests take part. */
export async function kubectlFor(kubeconfig: string, namespace: string): Promise<Kubectl> {
  const home = await mkdtemp(join(tmpdir(), 'holdfast-kubectl-'));
  const config = join(home, 'kubeconfig');
  await writeFile(config, kubeconfig, { mode: 0o600 });
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, KUBECONFIG: config, TMPDIR: home };
  const runWith = (env: NodeJS.ProcessEnv, args: string, input: string): Promise<Result> =>
    new Promise((resolve) => {
      const words = ['--namespace', namespace, '--request-timeout', '20s', ...args.split(' ')];
      const child = execFile(binary, words, { env, timeout: 40_000 }, (error, out, err) => {
        resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, out, err });
      });
      child.stdin?.end(input);
    });
  const run = (args: string, input = '') => runWith(env, args, input);
  const edit = (what: string, script: string) =>
    runWith({ ...env, KUBE_EDITOR: `sed -i -e '${script}'` }, `edit ${what}`, '');
  return Object.assign(run, { edit, close: () => rm(home, { recursive: true, force: true }) });
}
