import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** A folder for CPU profiles of every process, to see where the time goes; what is measured then is slower. */
const profiles = process.env['HOLDFAST_BENCH_PROFILES'];
const profiling = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];

/** The processes of a suite, bundled as the product is, so that no loader takes part in what is measured. */
export class Parts<Name extends string = string> {
  readonly #folder: string;
  readonly #names: readonly Name[];
  readonly #directory = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  readonly #children = new Set<ChildProcess>();

  /** @param names of the files NAME.process.ts in the folder */
  constructor(folder: URL, names: readonly Name[]) {
    this.#folder = fileURLToPath(folder);
    this.#names = names;
  }

  async bundle(): Promise<void> {
    await build({
      entryPoints: this.#names.map((name) => join(this.#folder, `${name}.process.ts`)),
      outdir: this.#directory,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      platform: 'node',
      target: 'node20.19',
      format: 'esm',
      logLevel: 'warning',
      banner: {
        js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
      },
    });
  }

  start(name: Name, ...args: string[]): Part {
    const child = fork(join(this.#directory, `${name}.process.mjs`), args, { execArgv: profiling });
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return new Part(child);
  }

  close(): void {
    for (const child of this.#children) child.disconnect();
    rmSync(this.#directory, { recursive: true });
  }
}

/** One process: it answers each message with one. */
export class Part {
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
  }

  ask<Answer>(message: object): Promise<Answer> {
    const answer = this.next<Answer>();
    this.#child.send(message);
    return answer;
  }

  next<Answer>(): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`a process of the suite ended with ${code}`));
      this.#child.once('exit', onExit);
      this.#child.once('message', (answer: Answer | { readonly failed: string }) => {
        this.#child.off('exit', onExit);
        if (typeof answer === 'object' && answer !== null && 'failed' in answer) reject(new Error(answer.failed));
        else resolve(answer);
      });
    });
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.disconnect();
    await gone;
  }
}
