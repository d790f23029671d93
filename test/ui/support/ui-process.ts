import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';

const printed = /http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/;

/** `holdfast ui` as a person runs it. */
export class UiProcess {
  readonly address: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, address: string) {
    this.#child = child;
    this.address = address;
  }

  static start(kubeconfig: string, ...args: readonly string[]): Promise<UiProcess> {
    const child = spawn(process.execPath, [resolve('dist/holdfast.js'), 'ui', '--kubeconfig', kubeconfig, ...args]);
    let out = '';
    return new Promise((done, fail) => {
      const read = (chunk: unknown) => {
        out += String(chunk);
        const address = printed.exec(out)?.[0];
        if (address !== undefined) done(new UiProcess(child, address));
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.on('close', (code) => fail(new Error(`holdfast ui ended with ${code}:\n${out}`)));
    });
  }

  async stop(): Promise<void> {
    const ended = new Promise((done) => this.#child.once('close', done));
    this.#child.kill('SIGINT');
    await ended;
  }
}
