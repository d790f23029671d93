import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cacheFolder } from './cache.ts';
import { versionOf } from './modules.ts';
import { type Program, printsVersion } from './programs.ts';

export type Found =
  | { readonly kind: 'found'; readonly path: string; readonly where: 'KUBEBUILDER_ASSETS' | 'cache' | 'PATH' }
  | { readonly kind: 'missing' };

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder that somebody named, what was built before, and what is installed if it is of exactly our version. */
export function findProgram(program: Program, env: Environment): Found {
  const version = versionOf(program.module);
  const assets = env['KUBEBUILDER_ASSETS'];
  if (program.alsoInstalled && assets !== undefined && assets !== '') {
    const path = join(assets, program.name);
    if (isProgram(path)) return { kind: 'found', path, where: 'KUBEBUILDER_ASSETS' };
  }
  const cached = join(cacheFolder(env, program.module, version), program.name);
  if (isProgram(cached)) return { kind: 'found', path: cached, where: 'cache' };
  if (!program.alsoInstalled) return { kind: 'missing' };
  const installed = onPath(program.name, env).find((path) => hasVersion(program, path, version));
  return installed === undefined ? { kind: 'missing' } : { kind: 'found', path: installed, where: 'PATH' };
}

export function onPath(name: string, env: Environment): string[] {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).filter(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function hasVersion(program: Program, path: string, version: string): boolean {
  const { status, stdout } = spawnSync(path, program.versionArguments, { encoding: 'utf8', timeout: 10_000 });
  return status === 0 && printsVersion(stdout, version);
}
