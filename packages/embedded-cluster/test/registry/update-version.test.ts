import { expect, it } from 'vitest';
import { updateObject } from '../../src/registry/update/update.ts';
import { aContext, aPlane, object } from './a-plane.ts';

const budget = { minAvailable: 1, selector: { matchLabels: { app: 'x' } } };
const insisting: [
  resource: string,
  apiVersion: string,
  kind: string,
  spec: object,
  subresource: string,
  name: string,
][] = [
  ['policy/poddisruptionbudgets', 'policy/v1', 'PodDisruptionBudget', budget, '', 'poddisruptionbudgets.policy'],
  ['policy/poddisruptionbudgets', 'policy/v1', 'PodDisruptionBudget', budget, 'status', 'poddisruptionbudgets.policy'],
  ['coordination.k8s.io/leases', 'coordination.k8s.io/v1', 'Lease', {}, '', 'leases.coordination.k8s.io'],
];
it.each(insisting)(
  '%s, %s %s: an update names the version it is for',
  async (resource, apiVersion, kind, spec, ...rest) => {
    const [subresource, name] = rest;
    const a = await aPlane();
    const made = await a.client.create(resource, object(apiVersion, kind, 'b', { spec }));
    const { resourceVersion: _, ...metadata } = made.metadata;
    await expect(
      updateObject(a.plane.registry, {
        target: a.target(resource, 'b'),
        subresource,
        context: aContext(),
        retries: false,
        change: () => ({ ...made, metadata }),
      }),
    ).rejects.toThrow(
      `${name} "b" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
    );
  },
);
