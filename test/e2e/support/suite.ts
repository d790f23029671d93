import { afterAll } from 'vitest';
import { type ProtectedCluster, type ProtectedWish, protectedCluster } from '../../support/protected-cluster.ts';
import { type PodGroupVersion, podGroupVersions } from './objects.ts';

export interface Suite {
  readonly cluster: ProtectedCluster;
  /** Nothing brings pods to life there. */
  readonly skipped: boolean;
}

/** Controllers are refused like other clients, and try again. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof Error && /^(admission webhook|Internal error occurred: failed calling webhook)/.test(error.message)
  );
}

/** One protected cluster for all tests of a file; each of them has a namespace of its own. */
export async function suite(wish: ProtectedWish = {}): Promise<Suite> {
  const cluster = await protectedCluster({ isExpected: isRefusal, ...wish });
  const skipped = cluster.lacksControllers;
  afterAll(() => cluster.close());
  // Where every test is skipped, no hook runs.
  if (skipped) await cluster.close();
  return { cluster, skipped };
}

/** The newest version of gangs that the server has. Undefined: none that we know. */
export async function servedGangs(cluster: ProtectedCluster): Promise<PodGroupVersion | undefined> {
  for (const version of podGroupVersions)
    if (await serves(cluster, `/apis/scheduling.k8s.io/${version}`)) return version;
  return undefined;
}

/** Whether the server has this API at all: not every cluster has the newer and the foreign ones. */
export async function serves(cluster: ProtectedCluster, path: string): Promise<boolean> {
  return (await cluster.request('GET', path)).code === 200;
}
