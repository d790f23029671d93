import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { UpProcess } from '../../packages/holdfast/test/cli/up-process.ts';

/** One command of a page, how it ended and what it printed. */
export interface Step {
  readonly line: string;
  readonly code: number;
  readonly text: string;
}

const mark = '== ended with ';

/** What every shell starts with: the kubectl that all tests use, and everything that is printed in one place. */
const head = 'kubectl() { command $KUBECTL "$@"; }; exec 2>&1';

/** The commands of the `sh` blocks of a text, block by block. A backslash at the end of a line joins it with the next one. */
export function commandBlocks(text: string): readonly (readonly string[])[] {
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) =>
    block
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('#')),
  );
}

/** The demo as `holdfast up` starts it, and a shell beside it as a reader has one: kubectl, `holdfast` on the PATH, KUBECONFIG set. */
export class DemoShell {
  readonly #folder = mkdtempSync(join(tmpdir(), 'holdfast-docs-'));
  #cluster: UpProcess | undefined;

  async start(): Promise<void> {
    const bin = join(this.#folder, 'bin');
    mkdirSync(bin);
    writeFileSync(
      join(bin, 'holdfast'),
      `#!/bin/sh\nexec "${process.execPath}" "${resolve('dist/holdfast.js')}" "$@"\n`,
    );
    chmodSync(join(bin, 'holdfast'), 0o755);
    this.#cluster = await new UpProcess(this.#folder, ['--port', '0']).ready();
    writeFileSync(join(this.#folder, 'kubeconfig'), this.#cluster.kubeconfig(), { mode: 0o600 });
  }

  async stop(): Promise<void> {
    await this.#cluster?.stop('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Runs the lines in one shell, one after another, whether they succeed or not. */
  run(lines: readonly string[], timeout = 110_000): Promise<readonly Step[]> {
    const script = lines.map((line) => `${line}\necho "${mark}$?"`).join('\n');
    const env = {
      PATH: `${join(this.#folder, 'bin')}:${process.env['PATH']}`,
      KUBECTL: process.env['KUBECTL'] ?? 'kubectl',
      HOME: this.#folder,
      KUBECONFIG: join(this.#folder, 'kubeconfig'),
    };
    return new Promise((done) => {
      execFile('sh', ['-c', `${head}\n${script}`], { env, timeout }, (_error, out) => done(stepsOf(lines, out)));
    });
  }
}

function stepsOf(lines: readonly string[], out: string): readonly Step[] {
  const parts = out.split(mark);
  return lines.map((line, index) => {
    const [, ...text] = (parts[index] ?? '').split('\n');
    const code = Number(parts[index + 1]?.split('\n', 1)[0] ?? Number.NaN);
    return { line, code, text: (index === 0 ? [parts[0]] : text).join('\n') };
  });
}
