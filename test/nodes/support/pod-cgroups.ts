import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BedState } from '../../../testbed/src/nodes/bed-access.ts';
import { readCgroupMounts } from '../../../testbed/src/nodes/cgroups.ts';
import type { Body } from '../../support/kube-http.ts';

/** What the kernel knows of a pod's containers, by their control groups. */
export interface ContainerUse {
  readonly processes: readonly number[];
  readonly memoryBytes: number;
  readonly peakBytes: number;
  readonly cpuNanoseconds: number;
}

/** Of the containers of a pod that run a program of this name; the container that keeps the pod's network is not among them. */
export function containersOf(state: BedState, pod: Body, program: string): ContainerUse[] {
  const memory = mountOf('memory');
  const groups = podGroups(join(memory.path, state.cgroup, String(pod.spec['nodeName'])), pod.metadata.uid);
  return groups.flatMap((group) => {
    const processes = numbersIn(join(group, 'cgroup.procs'));
    if (!processes.some((pid) => programOf(pid).endsWith(program))) return [];
    const cpu = group.replace(memory.path, mountOf('cpuacct').path);
    return [{ processes, ...(memory.version === 1 ? firstVersion(group, cpu) : secondVersion(group)) }];
  });
}

function firstVersion(memory: string, cpu: string): Omit<ContainerUse, 'processes'> {
  const [memoryBytes = 0] = numbersIn(join(memory, 'memory.usage_in_bytes'));
  const [peakBytes = 0] = numbersIn(join(memory, 'memory.max_usage_in_bytes'));
  const [cpuNanoseconds = 0] = numbersIn(join(cpu, 'cpuacct.usage'));
  return { memoryBytes, peakBytes, cpuNanoseconds };
}

function secondVersion(group: string): Omit<ContainerUse, 'processes'> {
  const [memoryBytes = 0] = numbersIn(join(group, 'memory.current'));
  const [peakBytes = 0] = numbersIn(join(group, 'memory.peak'));
  const microseconds = Number(/^usage_usec (\d+)/m.exec(readFileSync(join(group, 'cpu.stat'), 'utf8'))?.[1] ?? 0);
  return { memoryBytes, peakBytes, cpuNanoseconds: microseconds * 1_000 };
}

function mountOf(controller: string) {
  const mounts = readCgroupMounts();
  const found = mounts.find(({ version, controllers }) => version === 2 || controllers.includes(controller));
  if (found === undefined) throw new Error(`there are no control groups for ${controller}`);
  return found;
}

/** Below the group of the pod, which is below the one of its class of service. */
function podGroups(folder: string, uid: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory()) return [];
    const path = join(folder, entry.name);
    if (entry.name === `pod${uid}`) return foldersIn(path);
    return podGroups(path, uid);
  });
}

function foldersIn(path: string): string[] {
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
}

function numbersIn(path: string): number[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map(Number);
}

/** A process may have ended meanwhile. */
function programOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0] ?? '';
  } catch {
    return '';
  }
}
