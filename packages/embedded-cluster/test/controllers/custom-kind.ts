import type { Crd, CrdNames } from '../../src/crd/crd.ts';
import type { KubeObject } from '../../src/objects.ts';

export const widgetKey = 'example.com/widgets';

const names: CrdNames = {
  plural: 'widgets',
  singular: 'widget',
  kind: 'Widget',
  listKind: 'WidgetList',
  shortNames: ['wd'],
};

export function crd(own: Partial<CrdNames> = {}, group = 'example.com', scope = 'Namespaced'): Crd {
  const wanted = { ...names, ...own };
  const schema = { openAPIV3Schema: { type: 'object', properties: { size: { type: 'integer' } } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${wanted.plural}.${group}` },
    spec: { group, names: wanted, scope, versions: [{ name: 'v1', served: true, storage: true, schema }] },
  };
}

export function widget(namespace: string, name: string, metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { ...metadata, name, namespace }, size: 1 };
}
