import { spawn } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from './cache.ts';
import { type Found, findProgram, onPath } from './find.ts';
import { keepLwsManifests } from './lws-manifests.ts';
import { folderOf, versionOf } from './modules.ts';
import { linkerFlags, type Program, type ProgramKey, programs } from './programs.ts';

export type Say = (line: string) => void;

type Environment = Readonly<Record<string, string | undefined>>;

/** Paths of programs, each found or built. One is built at a time: the Go compiler uses all cores by itself. */
export async function ensurePrograms<Key extends ProgramKey>(
  keys: readonly Key[],
  env: Environment,
  say: Say,
): Promise<Readonly<Record<Key, string>>> {
  const paths: Partial<Record<Key, string>> = {};
  for (const key of keys) {
    const found = findProgram(programs[key], env);
    paths[key] = found.kind === 'found' ? found.path : await buildProgram(programs[key], env, say);
  }
  return paths as Record<Key, string>;
}

export function describeProgram(program: Program, found: Found): string {
  const version = versionOf(program.module);
  const where = found.kind === 'found' ? `${found.path} (${found.where})` : 'to be built';
  return `${program.name} ${version}: ${where}`;
}

/** Into the cache, whole or not at all. */
export async function buildProgram(program: Program, env: Environment, say: Say): Promise<string> {
  const version = versionOf(program.module);
  const [go] = onPath('go', env);
  if (go === undefined) {
    throw new Error(
      `${program.name} ${version} is neither in KUBEBUILDER_ASSETS nor in the cache nor, in this version, on PATH; ` +
        'building it needs Go 1.26 or newer on PATH (https://go.dev/dl/)',
    );
  }
  const folder = cacheFolder(env, program.module, version);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, program.name);
  const draft = `${path}.${process.pid}.tmp`;
  say(`building ${program.name} ${version}`);
  const begin = Date.now();
  try {
    await runGo(go, program, version, draft, { env, say });
    if (program.module === 'lws') keepLwsManifests(go, folder);
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  say(`built ${program.name} in ${seconds(begin)}: ${path}`);
  return path;
}

interface Surroundings {
  readonly env: Environment;
  readonly say: Say;
}

function runGo(go: string, program: Program, version: string, output: string, { env, say }: Surroundings) {
  const flags = ['-mod=readonly', '-buildvcs=false', `-ldflags=${linkerFlags(program.module, version)}`];
  const child = spawn(go, ['build', ...flags, '-o', output, program.package], {
    cwd: folderOf(program.module),
    env: { ...env, CGO_ENABLED: '0' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  // Minutes of all cores: whoever works on this machine comes first.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const begin = Date.now();
  const progress = setInterval(() => say(`  still building ${program.name} (${seconds(begin)})`), 30_000);
  return new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`go build of ${program.name} ended with ${signal ?? code}; what it said is above`));
    });
  }).finally(() => clearInterval(progress));
}

function seconds(begin: number): string {
  return `${Math.round((Date.now() - begin) / 1000)} s`;
}
