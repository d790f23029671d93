import { defaultColumns } from '../../src/kinds/builtin-types.ts';
import type { ResourceType } from '../../src/kinds/resource-type.ts';

/** A namespaced kind of a CRD, as small as can be. */
export function customType(fields: Partial<ResourceType> = {}): ResourceType {
  return {
    key: 'example.com/widgets',
    group: 'example.com',
    version: 'v1',
    kind: 'Widget',
    listKind: 'WidgetList',
    plural: 'widgets',
    singular: 'widget',
    shortNames: ['wd'],
    categories: [],
    namespaced: true,
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    storageVersion: 'v1',
    schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } },
    subresources: new Map([['status', { name: 'status', kind: 'Widget', verbs: ['get', 'patch', 'update'] }]]),
    strategy: {},
    conversion: { kind: 'rename' },
    columns: defaultColumns,
    custom: { crdName: 'widgets.example.com', preserveUnknownFields: false, selectableFields: [] },
    ...fields,
  };
}
