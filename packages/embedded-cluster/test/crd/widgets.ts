import type { Crd } from '../../src/crd/crd.ts';

export type Change = (crd: Crd) => void;

/** A small CRD to change in tests. */
export function widgets(change: Change): Crd {
  const crd: Crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'] },
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
                spec: { type: 'object', properties: { size: { type: 'integer', default: 1, minimum: 1 } } },
                status: { type: 'object', properties: { ready: { type: 'integer' } } },
              },
            },
          },
        },
      ],
    },
  };
  change(crd);
  return crd;
}
