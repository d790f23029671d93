import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { testbedFolder } from './modules.ts';

/** A program to be started; its output goes to the log. */
export interface Wish {
  readonly name: string;
  readonly path: string;
  readonly args: readonly string[];
  readonly log: string;
  /** Beside the environment of the keeper. */
  readonly env?: Readonly<Record<string, string>>;
  /** Started again when it ends, unless it ends at once. Default: that is a failure of the test bed. */
  readonly restarts?: true;
}

/** Namespaces for the keeper and all its programs. */
export interface Enclosure {
  /** What runs the keeper, and cleans up behind it. */
  readonly command: readonly string[];
  /** A socket that listens in the network of this process, and the port in the other one that its connections are led to. */
  readonly forward: { readonly fd: number; readonly port: number };
  /** Cleans up where `command` could not, because it was killed. */
  sweep(): void;
}

/** A program ended although it was not stopped. */
export interface Report {
  readonly name: string;
  readonly ended: string;
}

/** What a failure shows of a program's log. */
const shownLines = 15;

/** The other end of `keeper.process.ts`, which outlives this process for as long as it takes to clean up. */
export class Keeper {
  readonly #process: ChildProcess;
  readonly #logs = new Map<string, string>();
  readonly #removed: string | undefined;
  readonly #enclosure: Enclosure | undefined;
  #failure: Error | undefined;

  /** @param removed a folder that is removed when everything has ended; undefined: nothing is, or the enclosure removes it */
  constructor(removed: string | undefined, enclosure?: Enclosure) {
    this.#removed = removed;
    this.#enclosure = enclosure;
    const script = fileURLToPath(new URL('keeper.process.ts', import.meta.url));
    const { command = [], forward } = enclosure ?? {};
    const own = [process.execPath, '--import', 'tsx', script, removed ?? '', String(forward?.port ?? '')];
    const [path = '', ...args] = [...command, ...own];
    this.#process = spawn(path, args, {
      cwd: testbedFolder,
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit', ...(forward === undefined ? [] : [forward.fd])],
    });
    this.#process.once('error', (error) => this.#fail(error));
    this.#process.stdin?.on('error', () => undefined);
    const { stdout } = this.#process;
    if (stdout !== null) createInterface({ input: stdout }).on('line', (line) => this.#heed(JSON.parse(line)));
  }

  start(wish: Wish): void {
    this.#logs.set(wish.name, wish.log);
    this.#process.stdin?.write(`${JSON.stringify(wish)}\n`);
  }

  /** Throws when a program ended by itself: there is nothing to wait for then. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Ends everything and resolves when it has ended. */
  async stop(): Promise<void> {
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== null || signalCode !== null) {
      this.#killGroup();
      return;
    }
    const ended = once(this.#process, 'exit');
    this.#process.stdin?.end();
    await ended;
    this.#enclosure?.sweep();
  }

  /** The keeper itself was killed: its programs are still of its group, and the folder is still there. */
  #killGroup(): void {
    const { pid } = this.#process;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // Nothing of the group is left, which is what was wanted.
    }
    if (this.#removed !== undefined) rmSync(this.#removed, { recursive: true, force: true, maxRetries: 5 });
    this.#enclosure?.sweep();
  }

  #heed({ name, ended }: Report): void {
    const log = this.#logs.get(name);
    this.#fail(new Error(`${name} ended (${ended}). The end of ${log}:\n${log === undefined ? '' : endOf(log)}`));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
  }
}

function endOf(path: string): string {
  return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-shownLines).join('\n');
}
