import { readFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { type Access, ConfigError, type Configured } from './access.ts';
import { inClusterAccess, isInCluster } from './in-cluster.ts';
import { accessOf, type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from './kubeconfig.ts';
import { environmentProxy } from './proxy.ts';

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
  const { paths, from } = pathsOf(options);
  const files = await readFiles(paths);
  if (files.size > 0) return fromFiles(files, options);
  if (options.kubeconfig !== undefined) throw new ConfigError(`${options.kubeconfig} does not exist`);
  if (isInCluster(options.env)) return inClusterAccess(options.env);
  const missing =
    paths.length === 1 ? `${paths[0]} (${from}) does not exist` : `no file of ${from} exists: ${paths.join(', ')}`;
  throw new ConfigError(`there is no kubeconfig: ${missing}, and this process is not in a pod`);
}

function fromFiles(files: ReadonlyMap<string, Kubeconfig>, { env, context }: LoadOptions): Access {
  const where = [...files.keys()].join(', ');
  try {
    const access = accessOf(mergeKubeconfigs([...files.values()]), context);
    const proxy = access.proxy ?? environmentProxy(env, access.server);
    return { ...access, ...(proxy === undefined ? {} : { proxy }), source: `${access.source} of ${where}` };
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(`${where}: ${error.message}`) : error;
  }
}

interface Paths {
  readonly paths: readonly string[];
  /** What named them. */
  readonly from: string;
}

function pathsOf({ env, home, kubeconfig }: LoadOptions): Paths {
  if (kubeconfig !== undefined) return { paths: [kubeconfig], from: '--kubeconfig' };
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  if (listed.length > 0) return { paths: [...new Set(listed)], from: 'KUBECONFIG' };
  return { paths: [join(home, '.kube', 'config')], from: 'the default' };
}

/** By path. Of several files some may be missing, as kubectl has it. */
async function readFiles(paths: readonly string[]): Promise<ReadonlyMap<string, Kubeconfig>> {
  const files = new Map<string, Kubeconfig>();
  for (const path of paths) {
    const file = await readOne(path);
    if (file !== undefined) files.set(path, file);
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
