import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../../../../../test/e2e/support/wait.ts';
import { builtCommand, ensureBuilt } from '../../../../../test/support/built.ts';

const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
const home = mkdtempSync(join(tmpdir(), 'holdfast-shells-'));
const env = { ...process.env, HOME: home, PATH: `${home}:${process.env['PATH']}` };
const run = promisify(execFile);

const terminals: readonly { readonly shell: string; readonly start: string; readonly before: readonly string[] }[] = [
  { shell: 'bash', start: 'bash --norc', before: [] },
  { shell: 'zsh', start: 'zsh -f', before: ['autoload -Uz compinit; compinit -u'] },
];

beforeAll(() => {
  ensureBuilt();
  const command = join(home, 'holdfast');
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${builtCommand}' "$@"\n`);
  chmodSync(command, 0o755);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

for (const program of ['bash', 'zsh', 'fish', 'tmux']) {
  if (!has(program, program === 'tmux' ? '-V' : '--version')) {
    process.stderr.write(`${program} is not on this machine: completion is not tried where that is needed\n`);
  }
}

/** In the shells themselves; one that is not on this machine is left out. */
describe('completion', () => {
  it.skipIf(!has('fish', '--version'))('in fish', async () => {
    const offers = async (line: string) => {
      const script = `holdfast completion fish | source; complete -C ${JSON.stringify(line)}`;
      const { stdout } = await run('fish', ['--no-config', '-c', script], { env });
      return stdout.split('\n').filter((one) => one !== '');
    };
    expect(await offers('holdfast stat')).toEqual(['status']);
    expect(await offers('holdfast explain p')).toEqual(['pdb/', 'pod/', 'pub/']);
    expect(await offers('holdfast status -o ')).toEqual(['json', 'wide', 'yaml']);
  });

  const withKeys = async ({ shell, start, before }: (typeof terminals)[number]) => {
    const socket = `holdfast-${randomBytes(4).toString('hex')}`;
    const tmux = async (...args: string[]) => (await run('tmux', ['-f', '/dev/null', '-L', socket, ...args])).stdout;
    const screen = (what: string, is: (text: string) => boolean) =>
      waitUntil(what, () => tmux('capture-pane', '-p'), is);
    try {
      const program = `env HOME='${home}' PATH='${env.PATH}' PS1='ready> ' ${start}`;
      await tmux('new-session', '-d', '-x', '100', '-y', '20', program);
      await screen('the shell is there', (text) => text.includes('ready>'));
      for (const line of [...before, `source <(holdfast completion ${shell}); echo sour''ced`]) {
        await tmux('send-keys', line, 'Enter');
      }
      await screen('the script was read', (text) => text.includes('\nsourced'));
      await tmux('send-keys', 'holdfast stat', 'Tab');
      await screen('a command is completed', (text) => text.includes('ready> holdfast status'));
      await tmux('send-keys', '-l', '--', '-o js');
      await tmux('send-keys', 'Tab');
      await screen('a value is completed', (text) => text.includes('holdfast status -o json'));
      await tmux('send-keys', 'C-u', 'holdfast explain po', 'Tab', 'x');
      // The name goes on where the slash is: no space comes between.
      await screen('a kind is completed', (text) => text.includes('holdfast explain pod/x'));
    } finally {
      await tmux('kill-server').catch(() => {});
    }
  };

  for (const terminal of terminals) {
    const isHere = has(terminal.shell, '--version') && has('tmux', '-V');
    it.skipIf(!isHere)(`in ${terminal.shell}, with the Tab key`, () => withKeys(terminal));
  }
});
