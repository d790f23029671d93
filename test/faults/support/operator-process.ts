import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Access, TextSource } from '../../../packages/holdfast/src/kube/config/access.ts';
import { builtCommand, ensureBuilt } from '../../../test/support/built.ts';
import { eventually } from './eventually.ts';

interface ProcessWish {
  readonly access: Access;
  readonly namespace: string;
  /** Where API servers find the webhooks: perhaps a balancer before this process. */
  readonly url: string;
  readonly takeover?: 'on' | 'off';
  /** The command, in one file. Default: as it is now. */
  readonly program?: string;
}

// While this module is loaded there is no cluster in this process yet.
ensureBuilt();

/** `holdfast operator` as another process, which can be killed. */
export class OperatorProcess {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #ended: Promise<void>;
  #out = '';
  #err = '';

  private constructor(child: ChildProcess, folder: string) {
    this.#child = child;
    this.#folder = folder;
    child.stdout?.on('data', (chunk) => {
      this.#out += String(chunk);
    });
    child.stderr?.on('data', (chunk) => {
      this.#err += String(chunk);
    });
    this.#ended = new Promise((done) => child.once('close', () => done()));
    // Nothing outlives the tests, whatever becomes of them.
    const end = () => void child.kill('SIGKILL');
    process.once('exit', end);
    child.once('close', () => process.off('exit', end));
  }

  static async start(wish: ProcessWish): Promise<OperatorProcess> {
    const { access, namespace, url, takeover = 'on' } = wish;
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-faults-'));
    const kubeconfig = join(folder, 'kubeconfig');
    const program = wish.program === undefined ? builtCommand : join(folder, 'holdfast.mjs');
    await writeFile(kubeconfig, kubeconfigText(access), { mode: 0o600 });
    if (wish.program !== undefined) await writeFile(program, wish.program);
    const command = [program, 'operator'];
    const places = ['--kubeconfig', kubeconfig, '--namespace', namespace, '--webhook-url', url];
    const rest = ['--webhook-port', '0', '--health-port', '0', '--takeover', takeover];
    const child = spawn(process.execPath, [...command, ...places, ...rest], { cwd: folder });
    return new OperatorProcess(child, folder);
  }

  /** Of the webhooks; once they are served and it says that it is ready. */
  async ready(): Promise<number> {
    const served = () => /"msg":"the webhooks are served".*/.exec(this.#out)?.[0] ?? '';
    await this.#comes(() => served() !== '', 'serves');
    const health = numberIn(served(), 'health');
    await this.#comes(() => isReady(health), 'is ready');
    return numberIn(served(), 'port');
  }

  get log(): string {
    return `${this.#out}${this.#err}`;
  }

  /** Null: a signal ended it. */
  async kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    this.#child.kill(signal);
    await this.#ended;
    await rm(this.#folder, { recursive: true, force: true });
    return this.#child.exitCode;
  }

  #comes(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
    return eventually(
      () => {
        if (this.#child.exitCode !== null) throw new Error(`the operator ended:\n${this.log}`);
        return condition();
      },
      `the operator ${what}`,
      () => this.log,
    );
  }
}

function numberIn(line: string, key: string): number {
  return Number(new RegExp(`"${key}":([0-9]+)`).exec(line)?.[1]);
}

function isReady(port: number): Promise<boolean> {
  return new Promise((done) => {
    const request = get({ host: '127.0.0.1', port, path: '/readyz', agent: false }, (response) => {
      response.resume();
      done(response.statusCode === 200);
    });
    request.on('error', () => done(false));
  });
}

export function kubeconfigText({ server, ca, user }: Access): string {
  const cluster = { server: server.href, 'certificate-authority-data': base64(ca) };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'it',
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
    clusters: [{ name: 'it', cluster }],
    users: [{ name: 'it', user: { token: textOf(user.token) } }],
  });
}

function base64(source: TextSource | undefined): string {
  return Buffer.from(textOf(source)).toString('base64');
}

function textOf(source: TextSource | undefined): string {
  if (source?.kind !== 'inline') throw new Error('it should be text, not a file');
  return source.text;
}
