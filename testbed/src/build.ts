import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { keepManifests } from './add-on-manifests.ts';
import { addOns, isAddOn } from './add-ons.ts';
import { cacheFolder } from './cache.ts';
import { type Found, findProgram, onPath } from './find.ts';
import { type GoWork, runGo, seconds } from './go.ts';
import { moduleFolder } from './module-folder.ts';
import { type Environment, versionOf } from './modules.ts';
import { linkerFlags, type Program, type ProgramKey, programs } from './programs.ts';

export type Say = (line: string) => void;

export interface Surroundings {
  readonly env: Environment;
  readonly say: Say;
  /** Gives up, and ends what is running. */
  readonly signal?: AbortSignal;
}

/** Paths of programs, each found or built. One is built at a time: the Go compiler uses all cores by itself. */
export async function ensurePrograms<Key extends ProgramKey>(
  keys: readonly Key[],
  around: Surroundings,
): Promise<Readonly<Record<Key, string>>> {
  const paths: Partial<Record<Key, string>> = {};
  for (const key of keys) {
    around.signal?.throwIfAborted();
    const found = findProgram(programs[key], around.env);
    paths[key] = found.kind === 'found' ? found.path : await buildProgram(programs[key], around);
  }
  return paths as Record<Key, string>;
}

export function describeProgram(program: Program, found: Found, env: Environment): string {
  const where = found.kind === 'found' ? `${found.path} (${found.where})` : 'to be built';
  return `${program.name} ${versionOf(program.module, env)}: ${where}`;
}

/** Into the cache, whole or not at all. */
export async function buildProgram(program: Program, around: Surroundings): Promise<string> {
  const { env, say } = around;
  const version = versionOf(program.module, env);
  const [go] = onPath('go', env);
  if (go === undefined) throw new Error(withoutGo(program, version));
  const folder = cacheFolder(env, program.module, version);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, program.name);
  const draft = `${path}.${process.pid}.tmp`;
  say(`building ${program.name} ${version}`);
  const begin = Date.now();
  try {
    const cwd = await moduleFolder(program.module, go, around);
    await runGo({ ...around, go, cwd, args: buildArguments(program, version, draft), what: program.name });
    if (isAddOn(program.module)) keepManifests(addOns[program.module], go, folder);
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  say(`built ${program.name} in ${seconds(begin)}: ${path}`);
  return path;
}

function withoutGo({ name, alsoInstalled }: Program, version: string): string {
  const places = alsoInstalled
    ? 'neither in KUBEBUILDER_ASSETS nor, in this version, on PATH nor in the cache'
    : 'not in the cache';
  return `${name} ${version} is ${places}; building it needs Go 1.26 or newer on PATH (https://go.dev/dl/)`;
}

function buildArguments(program: Program, version: string, output: string): GoWork['args'] {
  const { module, isTest, package: source, tags } = program;
  const flags = [
    '-mod=readonly',
    '-buildvcs=false',
    `-ldflags=${linkerFlags(module, version)}`,
    ...(tags === undefined ? [] : [`-tags=${tags}`]),
  ];
  return [...(isTest === true ? ['test', '-c', '-vet=off'] : ['build']), ...flags, '-o', output, source];
}
