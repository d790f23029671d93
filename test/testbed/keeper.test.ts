import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Keeper } from '../../testbed/src/keeper.ts';
import { isRunning } from '../../testbed/src/state.ts';

const folders: string[] = [];
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-keeper-'));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A program that writes its number and stays, whatever it is told. */
function stayer(folder: string, name: string) {
  const args = ['-c', `trap '' INT HUP; echo $$ > '${folder}/${name}.pid'; while :; do sleep 0.1; done`];
  return { name, path: '/bin/sh', args, log: join(folder, `${name}.log`) };
}

async function pidFrom(path: string): Promise<number> {
  return Number(await eventually(() => (existsSync(path) ? readFileSync(path, 'utf8').trim() : '') || undefined));
}

async function eventually<T>(read: () => T | undefined): Promise<T> {
  for (;;) {
    const value = read();
    if (value !== undefined) return value;
    await pause(20);
  }
}

const gone = (pid: number) => eventually(() => (isRunning(pid) ? undefined : true));

describe('the keeper of the programs', () => {
  it('ends them all, and then removes the folder', async () => {
    const data = newFolder();
    const marks = newFolder();
    const keeper = new Keeper(data);
    for (const name of ['a', 'b']) keeper.start({ ...stayer(marks, name), log: join(data, `${name}.log`) });
    const pids = await Promise.all(['a', 'b'].map((name) => pidFrom(join(marks, `${name}.pid`))));
    expect(pids.every(isRunning)).toBe(true);
    await keeper.stop();
    expect(pids.some(isRunning)).toBe(false);
    expect(existsSync(data)).toBe(false);
  });

  it('leaves the folder where it is to be kept', async () => {
    const data = newFolder();
    await new Keeper(undefined).stop();
    expect(existsSync(data)).toBe(true);
  });

  it('says which program ended by itself, and what it said last', async () => {
    const folder = newFolder();
    const keeper = new Keeper(undefined);
    keeper.check();
    keeper.start({
      name: 'bad',
      path: '/bin/sh',
      args: ['-c', 'echo no such flag; exit 3'],
      log: join(folder, 'bad.log'),
    });
    const message = await eventually(() => failureOf(() => keeper.check()));
    expect(message).toMatch(/bad ended \(exit code 3\)[\s\S]*no such flag/);
    await keeper.stop();
  });

  it('ends them when the process that started it is killed', async () => {
    const folder = newFolder();
    const parent = startParent(folder);
    const pid = await pidFrom(join(folder, 'child.pid'));
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    await gone(pid);
    await eventually(() => (existsSync(join(folder, 'data')) ? undefined : true));
  });
});

function failureOf(call: () => void): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function startParent(folder: string): ChildProcess {
  const keeper = new URL('../../testbed/src/keeper.ts', import.meta.url).href;
  const script = `
    import { mkdirSync } from 'node:fs';
    import { Keeper } from ${JSON.stringify(keeper)};
    mkdirSync(${JSON.stringify(join(folder, 'data'))});
    new Keeper(${JSON.stringify(join(folder, 'data'))}).start(${JSON.stringify(stayer(folder, 'child'))});
  `;
  return spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { stdio: 'inherit' });
}
