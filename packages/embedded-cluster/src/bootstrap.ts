import { bootstrapRbac } from './auth/rbac/bootstrap-roles.ts';
import type { Client } from './client.ts';
import { bootstrapFlows } from './flowcontrol/bootstrap-flows.ts';
import { type KubeObject, resourceKey, splitApiVersion } from './objects.ts';
import type { View } from './view.ts';

const namespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

const priorityClasses = [
  { name: 'system-cluster-critical', value: 2_000_000_000 },
  { name: 'system-node-critical', value: 2_000_001_000 },
];

/**
 * What every cluster has from the start. Created where it is missing, so that a restart finds it as it was left;
 * without a view nothing is there yet.
 */
export async function bootstrap(client: Client, view?: View): Promise<void> {
  const ensure = async (resource: string, object: KubeObject) => {
    const { namespace = '', name } = object.metadata;
    if (view?.get(resource, namespace, name) === undefined) await client.create(resource, object);
  };
  for (const name of namespaces)
    await ensure('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (const object of [...bootstrapRbac(), ...bootstrapFlows()]) await ensure(keyOfKind(object), object);
  for (const { name, value } of priorityClasses) {
    await ensure('scheduling.k8s.io/priorityclasses', {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value,
      description: 'Used for critical pods of the system.',
    });
  }
  await ensure('services', kubernetesService);
}

const kubernetesService: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
  spec: {
    type: 'ClusterIP',
    clusterIP: '10.96.0.1',
    ports: [{ name: 'https', port: 443, targetPort: 6443, protocol: 'TCP' }],
  },
};

function keyOfKind(object: KubeObject): string {
  return resourceKey(splitApiVersion(object.apiVersion).group, `${object.kind.toLowerCase()}s`);
}
