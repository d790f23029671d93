import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

const run = promisify(execFile);

/** A terminal of its own, with a shell in it, that can be typed into and looked at. */
export class Terminal {
  readonly #socket: string;

  private constructor(socket: string) {
    this.#socket = socket;
  }

  static async open(size: { readonly columns: number; readonly rows: number }): Promise<Terminal> {
    const terminal = new Terminal(`holdfast-${process.pid}`);
    // No settings of the user who runs the tests.
    const shell = 'env -u NO_COLOR TERM=screen-256color PS1="$ " sh';
    const { columns, rows } = size;
    await terminal.#tmux('-f', '/dev/null', 'new-session', '-d', '-x', String(columns), '-y', String(rows), shell);
    return terminal;
  }

  async type(line: string): Promise<void> {
    await this.#tmux('send-keys', '-l', line);
    await this.#tmux('send-keys', 'Enter');
  }

  async interrupt(): Promise<void> {
    await this.#tmux('send-keys', 'C-c');
  }

  /** What a person sees, line by line. */
  async look(): Promise<readonly string[]> {
    return (await this.#tmux('capture-pane', '-p')).split('\n');
  }

  /** The same with colours. */
  async lookAtColours(): Promise<string> {
    return this.#tmux('capture-pane', '-p', '-e');
  }

  async close(): Promise<void> {
    await this.#tmux('kill-server');
  }

  async #tmux(...args: readonly string[]): Promise<string> {
    return (await run('tmux', ['-L', this.#socket, ...args])).stdout;
  }
}
