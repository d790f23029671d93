import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where control groups are, in one of the two versions that Linux has of them. */
export interface CgroupMount {
  readonly version: 1 | 2;
  readonly path: string;
  readonly controllers: readonly string[];
}

const root = '/sys/fs/cgroup';
/** Among the options of a mount of version 1, those that say what is controlled. */
const known = new Set(
  'cpu cpuacct cpuset memory devices freezer blkio pids net_cls net_prio perf_event hugetlb'.split(' '),
);

export function readCgroupMounts(): CgroupMount[] {
  const mounts = readFileSync('/proc/self/mounts', 'utf8');
  const rootControllers = join(root, 'cgroup.controllers');
  return cgroupMounts(mounts, existsSync(rootControllers) ? readFileSync(rootControllers, 'utf8') : '');
}

/**
 * @param mounts as in /proc/self/mounts
 * @param unified the controllers of version 2, as in cgroup.controllers; empty where version 1 has them
 */
export function cgroupMounts(mounts: string, unified: string): CgroupMount[] {
  const lines = mounts.split('\n').map((line) => line.split(' '));
  if (lines.some(([, path, type]) => path === root && type === 'cgroup2')) {
    return [{ version: 2, path: root, controllers: unified.trim().split(/\s+/) }];
  }
  return lines.flatMap(([, path = '', type, options = '']) => {
    if (type !== 'cgroup' || !path.startsWith(`${root}/`)) return [];
    const controllers = options.split(',').filter((option) => known.has(option));
    return [{ version: 1 as const, path, controllers }];
  });
}

/** A group for each node, below one for the test bed. */
export function makeCgroups(mounts: readonly CgroupMount[], name: string, nodes: readonly string[]): void {
  for (const mount of mounts) {
    const bed = join(mount.path, name);
    prepare(mount, bed);
    for (const node of nodes) prepare(mount, join(bed, node));
  }
}

function prepare({ version, controllers }: CgroupMount, group: string): void {
  mkdirSync(group);
  if (version === 2) {
    const available = readFileSync(join(group, 'cgroup.controllers'), 'utf8').trim().split(/\s+/);
    writeFileSync(join(group, 'cgroup.subtree_control'), available.map((one) => `+${one}`).join(' '));
    return;
  }
  if (!controllers.includes('cpuset')) return;
  // In version 1 nothing can run in a new group until it says where.
  for (const file of ['cpuset.cpus', 'cpuset.mems']) {
    writeFileSync(join(group, file), readFileSync(join(group, '..', file), 'utf8'));
  }
}

/** In every hierarchy, also in those that only the container runtime uses. Groups in which a process still runs stay. */
export function removeCgroups(prefix: string, isAbandoned: (name: string) => boolean): void {
  const hierarchies = [root, ...foldersIn(root).map((name) => join(root, name))];
  for (const hierarchy of hierarchies) {
    const names = foldersIn(hierarchy).filter((name) => name.startsWith(prefix) && isAbandoned(name));
    for (const name of names) removeTree(join(hierarchy, name));
  }
}

function foldersIn(path: string): string[] {
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

function removeTree(group: string): void {
  for (const name of foldersIn(group)) removeTree(join(group, name));
  try {
    rmdirSync(group);
  } catch {
    // A process in it is still ending; the next sweep finds it.
  }
}
