import type { Node } from 'kubernetes-types/core/v1.js';
import type { OwnerReference } from 'kubernetes-types/meta/v1.js';
import type { CallOptions, KubeClient } from '../../kube/client/client.ts';

const nodes = { group: '', version: 'v1', plural: 'nodes', namespaced: false } as const;

/**
 * What makes the lease of a node go with it: where nodes come and go, leases of those that are gone would pile up. Undefined: there
 * is no such node, or it could not be read; a lease without an owner is as good.
 */
export async function nodeReference(
  client: KubeClient,
  name: string,
  call: CallOptions,
): Promise<OwnerReference | undefined> {
  const found = await client.get<Node>(nodes, { name }, call);
  const uid = found.ok ? found.value.metadata?.uid : undefined;
  return uid === undefined ? undefined : { apiVersion: 'v1', kind: 'Node', name, uid };
}
