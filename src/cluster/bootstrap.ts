import { bootstrapRbac } from './auth/bootstrap-roles.ts';
import type { Client } from './client.ts';
import { isApiError } from './errors.ts';
import { type KubeObject, resourceKey, splitApiVersion } from './objects.ts';

const namespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

const priorityClasses = [
  { name: 'system-cluster-critical', value: 2_000_000_000 },
  { name: 'system-node-critical', value: 2_000_001_000 },
];

/** What every cluster has before anyone asks for it. Created where it is missing, so that a restart finds it as it was left. */
export async function bootstrap(client: Client): Promise<void> {
  for (const name of namespaces)
    await ensure(client, 'namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (const object of bootstrapRbac()) await ensure(client, rbacKey(object), object);
  for (const { name, value } of priorityClasses) {
    await ensure(client, 'scheduling.k8s.io/priorityclasses', {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value,
      description: 'Used for critical pods of the system.',
    });
  }
  await ensure(client, 'services', kubernetesService);
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

function rbacKey(object: KubeObject): string {
  return resourceKey(splitApiVersion(object.apiVersion).group, `${object.kind.toLowerCase()}s`);
}

async function ensure(client: Client, resource: string, object: KubeObject): Promise<void> {
  try {
    await client.create(resource, object);
  } catch (error) {
    if (!isApiError(error, 409)) throw error;
  }
}
