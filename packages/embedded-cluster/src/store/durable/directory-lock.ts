import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Processes } from './processes.ts';

export type Locking =
  | { readonly ok: true; readonly takenOver: boolean; release(): Promise<void> }
  | { readonly ok: false; readonly pid: number };

interface Holder {
  readonly pid: number;
  readonly start?: string;
}

const lockName = 'lock';
/** Other processes may take and release the lock between two looks at it; this many attempts are always enough. */
const maxAttempts = 10;

/** One process at a time. A lock whose process is gone is taken over. */
export async function lockDirectory(directory: string, processes: Processes): Promise<Locking> {
  const path = join(directory, lockName);
  const start = processes.startOf(processes.own);
  const own = JSON.stringify({ pid: processes.own, ...(start === undefined ? {} : { start }) });
  const draft = join(directory, `${lockName}.${processes.own}.tmp`);
  await writeFile(draft, own, { mode: 0o600 });
  try {
    return await acquire({ path, draft, processes });
  } finally {
    await rm(draft, { force: true });
  }
}

async function acquire(lock: { path: string; draft: string; processes: Processes }): Promise<Locking> {
  let takenOver = false;
  for (let attempt = 1; ; attempt += 1) {
    // A link, because it appears at once and whole, or not at all.
    if (await tryLink(lock.draft, lock.path)) {
      return { ok: true, takenOver, release: () => rm(lock.path, { force: true }) };
    }
    const text = await readIfThere(lock.path);
    const holder = text === undefined ? undefined : parseHolder(text);
    if (holder !== undefined && (isHeld(holder, lock.processes) || attempt >= maxAttempts)) {
      return { ok: false, pid: holder.pid };
    }
    if (attempt >= maxAttempts) throw new Error(`${lock.path} cannot be taken; remove it if no process uses it`);
    if (text !== undefined) takenOver = (await clearStale(lock, text)) || takenOver;
  }
}

function isHeld(holder: Holder, processes: Processes): boolean {
  if (!processes.alive(holder.pid)) return false;
  const start = processes.startOf(holder.pid);
  return holder.start === undefined || start === undefined || holder.start === start;
}

/** Moves the lock aside rather than removing it: if another took it over in between, it is theirs and goes back. */
async function clearStale(lock: { path: string; processes: Processes }, judged: string): Promise<boolean> {
  const aside = `${lock.path}.${lock.processes.own}.stale`;
  try {
    await rename(lock.path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  const wasJudged = (await readIfThere(aside)) === judged;
  if (!wasJudged) await tryLink(aside, lock.path);
  await rm(aside, { force: true });
  return wasJudged;
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** An empty lock was left by a crash of the machine: no process holds it. */
function parseHolder(text: string): Holder | undefined {
  try {
    const value = JSON.parse(text) as Partial<Holder> | null;
    if (!Number.isSafeInteger(value?.pid) || Number(value?.pid) <= 0) return undefined;
    const start = value?.start;
    return { pid: Number(value?.pid), ...(typeof start === 'string' ? { start } : {}) };
  } catch {
    return undefined;
  }
}
