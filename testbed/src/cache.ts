import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment, ModuleName } from './modules.ts';

/** Where programs are kept that were built once. */
export function cacheRoot(env: Environment, home = homedir()): string {
  const chosen = env['HOLDFAST_TESTBED_CACHE'];
  if (chosen !== undefined && chosen !== '') return chosen;
  const base = env['XDG_CACHE_HOME'];
  return join(base !== undefined && base !== '' ? base : join(home, '.cache'), 'holdfast', 'testbed');
}

/** A folder for each version, so that another one never runs by mistake. */
export function cacheFolder(env: Environment, module: ModuleName, version: string): string {
  return join(cacheRoot(env), `${module}-${version}`);
}

/** Where the go.mod of a version is that the repository does not keep: it is derived from the one that is kept. */
export function derivedModuleFolder(env: Environment, module: ModuleName, version: string): string {
  return join(cacheRoot(env), 'modules', `${module}-${version}`);
}
