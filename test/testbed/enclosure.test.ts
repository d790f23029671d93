import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sweep } from '../../testbed/src/nodes/enclosure.ts';
import { troubleWithNodes } from '../../testbed/src/nodes/requirements.ts';

const trouble = troubleWithNodes(process.env);
if (trouble !== undefined) process.stderr.write(`the tests of the enclosure are skipped: ${trouble}\n`);

interface Enclosed {
  readonly owner: ChildProcess;
  readonly folder: string;
  /** All processes in its namespaces. */
  readonly processes: readonly number[];
}

async function enclose(): Promise<Enclosed> {
  const script = new URL('enclosure.process.ts', import.meta.url).pathname;
  const owner = spawn(process.execPath, ['--import', 'tsx', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (owner.stdout === null) throw new Error('it has no output');
  const [line] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string];
  const { folder, initPid } = JSON.parse(line) as { folder: string; initPid: number };
  return { owner, folder, processes: processesIn(namespaceOf(initPid) ?? '') };
}

function processesIn(namespace: string): number[] {
  const all = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return all.filter((pid) => namespaceOf(pid) === namespace);
}

/** Undefined: it has ended. */
function namespaceOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}

function cgroupsOf(folder: string): string[] {
  const root = '/sys/fs/cgroup';
  const places = [root, ...readdirSync(root).map((name) => join(root, name))];
  return places.map((place) => join(place, basename(folder))).filter(existsSync);
}

/** What the rest of the machine can see: mounts, network interfaces, and what a node wrote to its own /var. */
function machineState(): object {
  const mounts = readFileSync('/proc/self/mounts', 'utf8');
  const settings = ['vm/overcommit_memory', 'kernel/panic', 'kernel/panic_on_oops', 'net/ipv4/ip_forward'];
  return {
    mounts: mounts.split('\n').filter((line) => line.includes('holdfast-nodes-')),
    links: readdirSync('/sys/class/net').sort(),
    settings: settings.map((name) => readFileSync(`/proc/sys/${name}`, 'utf8')),
    leftBehind: existsSync('/var/lib/left-behind'),
  };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(50);
}

const hasEnded = (processes: readonly number[]) => processes.every((pid) => namespaceOf(pid) === undefined);

describe.skipIf(trouble !== undefined)('the namespaces of real nodes', () => {
  it('change nothing that the rest of the machine sees, and leave nothing when they are told to end', async () => {
    const before = machineState();
    const { owner, folder, processes } = await enclose();
    expect(processes.length).toBeGreaterThan(3);
    expect(machineState()).toEqual(before);
    owner.kill('SIGTERM');
    await once(owner, 'exit');
    expect({ ended: hasEnded(processes), folder: existsSync(folder), cgroups: cgroupsOf(folder) }).toEqual({
      ended: true,
      folder: false,
      cgroups: [],
    });
    expect(machineState()).toEqual(before);
  });

  it('leave nothing when the process that started them is killed with -9', async () => {
    const before = machineState();
    const { owner, folder, processes } = await enclose();
    owner.kill('SIGKILL');
    await until(() => hasEnded(processes) && !existsSync(folder) && cgroupsOf(folder).length === 0);
    expect(machineState()).toEqual(before);
  });

  it('leave no process when every process of theirs is killed with -9, and the next command removes the rest', async () => {
    const before = machineState();
    const { owner, folder, processes } = await enclose();
    const keeper = groupOf(processes[0] ?? 0);
    process.kill(-keeper, 'SIGKILL');
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    await until(() => hasEnded(processes));
    expect(machineState()).toEqual(before);
    sweep();
    await until(() => cgroupsOf(folder).length === 0);
    expect(existsSync(folder)).toBe(false);
  });
});

/** The keeper leads it; the fifth field. */
function groupOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[2]);
}
