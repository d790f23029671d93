import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onPath } from '../find.ts';
import type { Environment } from '../modules.ts';
import { type CgroupMount, readCgroupMounts } from './cgroups.ts';

/** What a machine has of what real nodes need. */
export interface MachineFacts {
  readonly platform: string;
  /** Of the user who runs this; undefined: the system has no such numbers. */
  readonly userId: number | undefined;
  /** Of `neededTools`, those that are on PATH. */
  readonly tools: ReadonlySet<string>;
  readonly cgroups: readonly CgroupMount[];
  /** What the kernel refused in namespaces made to try it; not tried where the rest is missing already. */
  readonly refused: readonly string[];
}

/** From program to the Debian package that has it. */
const neededTools: Readonly<Record<string, string>> = {
  sh: 'dash',
  find: 'findutils',
  mount: 'mount',
  unshare: 'util-linux',
  nsenter: 'util-linux',
  ip: 'iproute2',
  nft: 'nftables',
  runc: 'runc',
};

/** Kubelets limit and measure pods by these. */
const neededControllers = ['cpu', 'cpuacct', 'cpuset', 'memory', 'pids'];

/** One sentence for each thing that is missing; none: real nodes can run here. */
export function missingForNodes({ platform, userId, tools, cgroups, refused }: MachineFacts): string[] {
  if (platform !== 'linux') return [`real nodes need Linux, and this is ${platform}`];
  if (userId !== 0) return ['real nodes need root: they make namespaces, mounts and control groups'];
  const absent = Object.keys(neededTools).filter((tool) => !tools.has(tool));
  const packages = [...new Set(absent.map((tool) => neededTools[tool]))];
  return [
    ...(absent.length === 0
      ? []
      : [`${absent.join(', ')} cannot be found on PATH: apt-get install ${packages.join(' ')}`]),
    ...missingControllers(cgroups),
    ...refused.map((what) => `the kernel refuses: ${what}`),
  ];
}

function missingControllers(cgroups: readonly CgroupMount[]): string[] {
  const there = new Set(cgroups.flatMap(({ controllers }) => controllers));
  // The second version of control groups counts processor time with the controller that shares it.
  if (cgroups.some(({ version }) => version === 2)) there.add('cpuacct');
  const absent = neededControllers.filter((controller) => !there.has(controller));
  return absent.length === 0 ? [] : [`/sys/fs/cgroup has no control groups for ${absent.join(', ')}`];
}

function readMachineFacts(env: Environment): MachineFacts {
  const tools = new Set(Object.keys(neededTools).filter((tool) => onPath(tool, env).length > 0));
  const facts = {
    platform: process.platform,
    userId: process.getuid?.(),
    tools,
    cgroups: process.platform === 'linux' ? readCgroupMounts() : [],
    refused: [],
  };
  return missingForNodes(facts).length > 0 ? facts : { ...facts, refused: refusedByKernel() };
}

const trial = fileURLToPath(new URL('../../nodes/trial.sh', import.meta.url));

function refusedByKernel(): string[] {
  const namespaces = ['--pid', '--fork', '--kill-child', '--mount', '--net'];
  const { status, stdout, stderr } = spawnSync('unshare', [...namespaces, '--', 'sh', trial], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  if (status !== 0 && stdout === '') return [`process, mount and network namespaces (${stderr.trim()})`];
  return stdout.split('\n').filter((line) => line !== '');
}

/** What is missing, for people to read. Undefined: nothing. */
export function troubleWithNodes(env: Environment): string | undefined {
  const missing = missingForNodes(readMachineFacts(env));
  if (missing.length === 0) return undefined;
  return ['real nodes cannot run on this machine:', ...missing.map((line) => `- ${line}`)].join('\n');
}

/** To be called before anything is started, so that nothing half-starts. */
export function requireMachineForNodes(env: Environment): void {
  const trouble = troubleWithNodes(env);
  if (trouble !== undefined) throw new Error(trouble);
}
