import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { builtCommand } from '../../../../test/support/built.ts';
import { accessFrom, KubeHttp } from '../../../../test/support/kube-http.ts';

const commands = {
  built: [builtCommand],
  sources: ['--import', import.meta.resolve('tsx'), resolve('packages/holdfast/src/cli/main.ts')],
};

/** What a start that works prints last. */
const started = /Ctrl-C stops the cluster/;

/** `holdfast up` as a person runs it: another process, in a folder of its own. */
export class UpProcess {
  readonly #folder: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  #out = '';
  #err = '';
  #http: KubeHttp | undefined;
  #wake: () => void = () => undefined;

  constructor(folder: string, args: readonly string[], command: keyof typeof commands | { script: string } = 'built') {
    this.#folder = folder;
    const script = typeof command === 'string' ? commands[command] : [command.script];
    this.#child = spawn(process.execPath, [...script, 'up', ...args], { cwd: folder });
    this.#child.stdout?.on('data', (chunk) => {
      this.#out += String(chunk);
      this.#wake();
    });
    this.#child.stderr?.on('data', (chunk) => {
      this.#err += String(chunk);
    });
    this.#ended = new Promise((done) => {
      this.#child.on('close', (code) => {
        done(code);
        this.#wake();
      });
    });
  }

  get out(): string {
    return this.#out;
  }

  get err(): string {
    return this.#err;
  }

  async ready(): Promise<this> {
    while (!started.test(this.#out)) {
      if (this.#child.exitCode !== null)
        throw new Error(`it ended with ${this.#child.exitCode}:\n${this.#out}${this.#err}`);
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
    return this;
  }

  kubeconfig(name = '.holdfast/kubeconfig'): string {
    return readFileSync(join(this.#folder, name), 'utf8');
  }

  /** Its API, as the kubeconfig that it wrote says. */
  get http(): KubeHttp {
    this.#http ??= new KubeHttp(accessFrom(this.kubeconfig()));
    return this.#http;
  }

  /** The exit code, once it has ended by itself. */
  ended(): Promise<number | null> {
    return this.#ended;
  }

  /** The exit code after a signal, null if the signal ended it. */
  stop(signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
    this.#http?.close();
    this.#http = undefined;
    this.#child.kill(signal);
    return this.#ended;
  }
}
