import type { KubeClient, ResourceName } from '../../kube/client/client.ts';
import type { PodsVersion } from './ledger-pruner.ts';

const pods: ResourceName = { group: '', version: 'v1', plural: 'pods', namespaced: true };

/** Reads the version of the pods from the API server, in bounded time. A list without a resourceVersion is a consistent read. */
export function kubePodsVersion(client: Pick<KubeClient, 'collectionVersion'>, deadlineMs: number): PodsVersion {
  return async (namespace) => {
    const answer = await client.collectionVersion(pods, namespace, { deadlineMs });
    return answer.ok ? answer.value : undefined;
  };
}
