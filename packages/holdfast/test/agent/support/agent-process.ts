import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubeconfigText } from '../../../../../test/faults/support/operator-process.ts';
import { builtCommand } from '../../../../../test/support/built.ts';
import type { Access } from '../../../src/kube/config/access.ts';

/** `holdfast agent` as another process, which can be killed and frozen. */
export class AgentProcess {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #ended: Promise<number | null>;
  #out = '';

  private constructor(child: ChildProcess, folder: string) {
    this.#child = child;
    this.#folder = folder;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        this.#out += String(chunk);
      });
    }
    this.#ended = new Promise((resolve) => child.once('close', (code) => resolve(code)));
    // Nothing outlives the tests, whatever becomes of them.
    const end = () => void child.kill('SIGKILL');
    process.once('exit', end);
    child.once('close', () => process.off('exit', end));
  }

  static async start(access: Access, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<AgentProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-agent-'));
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, kubeconfigText(access), { mode: 0o600 });
    const command = [builtCommand, 'agent', '--kubeconfig', kubeconfig, '--health-port', '0', ...args];
    const { NODE_NAME: _, ...inherited } = process.env;
    const child = spawn(process.execPath, command, { cwd: folder, env: { ...inherited, ...env } });
    return new AgentProcess(child, folder);
  }

  get log(): string {
    return this.#out;
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGTERM' | 'SIGKILL'): void {
    this.#child.kill(signal);
  }

  /** Its exit code; null: a signal ended it. */
  async ended(): Promise<number | null> {
    const code = await this.#ended;
    await rm(this.#folder, { recursive: true, force: true });
    return code;
  }
}
