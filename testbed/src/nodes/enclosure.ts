import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isRunning } from '../state.ts';
import { removeCgroups } from './cgroups.ts';

/** Folders and control groups of test beds begin like this; then follows the number of the process that wanted them. */
const prefix = 'holdfast-nodes-';

const script = fileURLToPath(new URL('../../nodes/enclosure.sh', import.meta.url));

export function newBedFolder(): string {
  return mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
}

export function cgroupOf(folder: string): string {
  return basename(folder);
}

/** The command before that of the keeper, which makes its namespaces and cleans up behind them. */
export function enclosureCommand(folder: string, keep: boolean): string[] {
  return ['sh', script, cgroupOf(folder), folder, keep ? '' : folder];
}

/**
 * Removes what test beds left behind whose every process was killed at once: folders and control groups. Processes are never among it,
 * because the kernel ended those.
 * @param ended the folder of one that is known to have ended
 */
export function sweep(ended?: string): void {
  const isAbandoned = (name: string) => {
    const folder = join(tmpdir(), name);
    const [owner] = name.slice(prefix.length).split('-');
    const isOwned = folder !== ended && isRunning(Number(owner));
    const first = initPidIn(folder);
    return !isOwned && (first === undefined || !isRunning(first));
  };
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(prefix) && isAbandoned(name));
  if (process.platform === 'linux') removeCgroups(prefix, isAbandoned);
  for (const name of folders) {
    const folder = join(tmpdir(), name);
    if (!existsSync(join(folder, keptMark))) rmSync(folder, { recursive: true, force: true });
  }
}

/** In the folder of a test bed that is to be left behind. */
export const keptMark = 'kept';

function initPidIn(folder: string): number | undefined {
  const path = join(folder, 'init.pid');
  return existsSync(path) ? Number(readFileSync(path, 'utf8')) : undefined;
}

export async function untilEnclosed(folder: string, check: () => void): Promise<number> {
  const end = Date.now() + 30_000;
  for (;;) {
    const pid = initPidIn(folder);
    if (pid !== undefined) return pid;
    check();
    if (Date.now() > end) throw new Error('the namespaces of the test bed were not made within 30 s');
    await pause(20);
  }
}

/**
 * A port of loopback. What listens there is handed to the keeper, which is in another network: connections from here reach it through
 * this socket alone.
 */
export async function listenOnLoopback(): Promise<{
  readonly server: Server;
  readonly port: number;
  readonly fd: number;
}> {
  const server = createServer({ pauseOnConnect: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const { fd } = (server as unknown as { _handle: { fd: number } })._handle;
  if (address === null || typeof address === 'string') throw new Error('no port of loopback is free');
  return { server, port: address.port, fd };
}
