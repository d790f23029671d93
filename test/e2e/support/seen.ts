import type { Body } from '../../support/kube-http.ts';
import type { ProtectedCluster } from '../../support/protected-cluster.ts';
import { waitUntil } from './wait.ts';

/**
 * Waits until every replica has seen these objects as they are now. Views lag, and a replica that has not seen a pod become ready
 * refuses for a moment too long: that is right, and not what most tests are about.
 */
export async function seenByAll(
  cluster: ProtectedCluster,
  collection: 'pods' | 'pdbs' | 'pubs',
  objects: readonly Body[],
): Promise<void> {
  const newest = Math.max(0, ...objects.map(({ metadata }) => Number(metadata.resourceVersion)));
  for (const operator of cluster.operators) {
    // One that was stopped sees nothing any more, and judges nothing.
    if (operator.missing().includes('shutting down')) continue;
    await waitUntil(
      `the ${collection} are seen up to ${newest}`,
      () => versionSeen(operator.healthPort, collection),
      (version) => version >= newest,
    );
  }
}

async function versionSeen(port: number, collection: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
  const text = (await answer?.text()) ?? '';
  const line = text.match(new RegExp(`^holdfast_view_resource_version\\{collection="${collection}"\\} (\\S+)$`, 'm'));
  return Number(line?.[1] ?? 0);
}
