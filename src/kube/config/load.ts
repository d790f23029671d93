import { readFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { type Access, ConfigError, type Configured } from './access.ts';
import { inClusterAccess, isInCluster } from './in-cluster.ts';
import { accessOf, type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from './kubeconfig.ts';

export interface LoadOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** A file that a person named: it must be there. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

/**
 * Finds out which cluster is meant: the file that was named, else those in KUBECONFIG, else ~/.kube/config, else, when there is
 * none of them, the cluster that this process runs in.
 */
export async function loadAccess(options: LoadOptions): Promise<Configured<Access>> {
  try {
    return { ok: true, value: await load(options) };
  } catch (error) {
    if (error instanceof ConfigError) return { ok: false, problem: error.message };
    throw error;
  }
}

async function load(options: LoadOptions): Promise<Access> {
  const files = await readFiles(options);
  if (files.length > 0) return accessOf(mergeKubeconfigs(files), options.context);
  if (isInCluster(options.env)) return inClusterAccess(options.env);
  throw new ConfigError('there is no kubeconfig (--kubeconfig, KUBECONFIG, ~/.kube/config), and this is not a pod');
}

/** Of several files some may be missing, as kubectl has it. */
async function readFiles({ env, home, kubeconfig }: LoadOptions): Promise<Kubeconfig[]> {
  if (kubeconfig !== undefined) {
    const named = await readOne(kubeconfig);
    if (named === undefined) throw new ConfigError(`${kubeconfig} does not exist`);
    return [named];
  }
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  const paths = listed.length > 0 ? new Set(listed) : [join(home, '.kube', 'config')];
  const files: Kubeconfig[] = [];
  for (const path of paths) {
    const file = await readOne(path);
    if (file !== undefined) files.push(file);
  }
  return files;
}

async function readOne(path: string): Promise<Kubeconfig | undefined> {
  try {
    return parseKubeconfig(await readFile(path, 'utf8'), dirname(resolve(path)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
