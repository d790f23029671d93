import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cacheFolder } from './cache.ts';
import { type Environment, versionOf } from './modules.ts';
import { type Program, printsVersion } from './programs.ts';

export type Found =
  | { readonly kind: 'found'; readonly path: string; readonly where: 'KUBEBUILDER_ASSETS' | 'PATH' | 'cache' }
  | { readonly kind: 'missing' };

/** The folder that the environment names, what is installed if it is of exactly our version, and what was built before. */
export function findProgram(program: Program, env: Environment): Found {
  const version = versionOf(program.module, env);
  const installed = program.alsoInstalled ? findInstalled(program, version, env) : undefined;
  if (installed !== undefined) return installed;
  const cached = join(cacheFolder(env, program.module, version), program.name);
  return isProgram(cached) ? { kind: 'found', path: cached, where: 'cache' } : { kind: 'missing' };
}

function findInstalled(program: Program, version: string, env: Environment): Found | undefined {
  const assets = env['KUBEBUILDER_ASSETS'];
  if (assets !== undefined && assets !== '') {
    const path = join(assets, program.name);
    if (isProgram(path)) return { kind: 'found', path, where: 'KUBEBUILDER_ASSETS' };
  }
  const path = onPath(program.name, env).find((candidate) => hasVersion(program, candidate, version));
  return path === undefined ? undefined : { kind: 'found', path, where: 'PATH' };
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
