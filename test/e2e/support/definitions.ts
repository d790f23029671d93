import { made } from '../../support/cluster.ts';
import type { ProtectedCluster } from '../../support/protected-cluster.ts';
import type { Named } from './objects.ts';
import { serves } from './suite.ts';
import { waitUntil } from './wait.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Adds a kind, and takes it away at the end. Resolves when its objects can be written. */
export async function addDefinition(cluster: ProtectedCluster, definition: object, api: string): Promise<void> {
  const { metadata } = definition as { metadata: { name: string } };
  cluster.cleanUp(`${definitions}/${metadata.name}`);
  await made(cluster.request('POST', definitions, { body: definition }));
  await waitUntil(
    `${metadata.name} are served`,
    () => serves(cluster, api),
    (served) => served,
  );
}

export const farmsApi = '/apis/e2e.holdfast.dev/v1';

/** A kind that nobody has heard of, and that says by its scale how many pods it wants. No controller makes them. */
export const farms = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'farms.e2e.holdfast.dev' },
  spec: {
    group: 'e2e.holdfast.dev',
    names: { plural: 'farms', singular: 'farm', kind: 'Farm', listKind: 'FarmList' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { replicas: { type: 'integer' } } },
              status: { type: 'object', properties: { replicas: { type: 'integer' } } },
            },
          },
        },
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
      },
    ],
  },
};

export function farm(name: string, replicas: number): Named {
  return { apiVersion: 'e2e.holdfast.dev/v1', kind: 'Farm', metadata: { name }, spec: { replicas } };
}
