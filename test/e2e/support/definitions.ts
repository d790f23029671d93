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

/** A kind that is not built in, and that says by its scale how many pods it wants. No controller makes them. */
export const farms = scaledKind('e2e.holdfast.dev', 'v1', 'Farm');

export const kruiseSetsApi = '/apis/apps.kruise.io/v1alpha1';

/** Groups of pods, as OpenKruise's proposal for group budgets has them in its example. */
export const kruiseSets = scaledKind('apps.kruise.io', 'v1alpha1', 'LeaderWorkerSet');

/** A kind with a scale. */
function scaledKind(group: string, version: string, kind: string): object {
  const singular = kind.toLowerCase();
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.${group}` },
    spec: {
      group,
      names: { plural: `${singular}s`, singular, kind, listKind: `${kind}List` },
      scope: 'Namespaced',
      versions: [
        {
          name: version,
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
}

export function farm(name: string, replicas: number): Named {
  return { apiVersion: 'e2e.holdfast.dev/v1', kind: 'Farm', metadata: { name }, spec: { replicas } };
}
