import { readFileSync } from 'node:fs';

/** What can be known about processes of this machine. */
export interface Processes {
  readonly own: number;
  alive(pid: number): boolean;
  /** Tells a process from an earlier one with the same number; undefined where the system does not say. */
  startOf(pid: number): string | undefined;
}

export const systemProcesses: Processes = {
  own: process.pid,
  alive(pid) {
    const state = procStat(pid)?.[0];
    // Killed, but not yet collected by its parent: it holds nothing any more.
    if (state === 'Z' || state === 'X') return false;
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
  },
  startOf(pid) {
    const ticks = procStat(pid)?.[19];
    const boot = readText('/proc/sys/kernel/random/boot_id')?.trim();
    return ticks === undefined || boot === undefined ? undefined : `${boot} ${ticks}`;
  },
};

/** The fields of /proc/PID/stat from the state on. The name before it may hold anything, brackets and spaces too. */
function procStat(pid: number): readonly string[] | undefined {
  const text = readText(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
