import type { Conversion, CustomKind, ResourceType, SubresourceType } from '../kinds/resource-type.ts';
import type { Schema } from '../kinds/schema.ts';
import { builtinSchemas } from '../kinds/schema-link.ts';
import { resourceKey } from '../objects.ts';
import { hasDefaults } from '../schema/defaults.ts';
import type { ConvertObjects } from './conversion-webhook.ts';
import { type Crd, type CrdVersion, storageVersionOf } from './crd.ts';
import { customStrategy } from './custom-strategy.ts';
import { columnsOf } from './printer-columns.ts';

export interface CustomTypeDeps {
  /** Converts through the webhook that the CRD names. */
  convertByWebhook(crd: Crd): ConvertObjects;
}

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/**
 * The resource types that a CRD defines: one for each version that is served, and one for the storage version even when it is not,
 * because objects are kept in it. What is not served has no verbs.
 */
export function customResourceTypes(crd: Crd, deps: CustomTypeDeps): ResourceType[] {
  const storage = storageVersionOf(crd);
  if (!storage) return [];
  const conversion: Conversion =
    crd.spec.conversion?.strategy === 'Webhook'
      ? { kind: 'webhook', convert: deps.convertByWebhook(crd) }
      : { kind: 'rename' };
  return crd.spec.versions
    .filter((version) => version.served || version.storage)
    .map((version) => typeOf(crd, version, storage.name, conversion));
}

function typeOf(crd: Crd, version: CrdVersion, storageVersion: string, conversion: Conversion): ResourceType {
  const { group, scope } = crd.spec;
  const granted = crd.status?.acceptedNames;
  const names = granted?.plural ? granted : crd.spec.names;
  return {
    key: resourceKey(group, names.plural),
    group,
    version: version.name,
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: scope === 'Namespaced',
    verbs: version.served ? verbs : [],
    storageVersion,
    schema: schemaOf(version),
    subresources: version.served ? subresourcesOf(version, names.kind) : new Map(),
    strategy: customStrategy(version),
    conversion,
    columns: columnsOf(version),
    custom: customKind(crd, version),
  };
}

/** What the author wrote, with the three fields that every object has. */
function schemaOf(version: CrdVersion): Schema {
  const own = (version.schema?.openAPIV3Schema ?? {}) as Schema;
  const metadata = builtinSchemas.byName('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  return {
    ...own,
    properties: {
      ...own.properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: metadata ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  };
}

const subresourceVerbs = ['get', 'patch', 'update'];

function subresourcesOf(version: CrdVersion, kind: string): Map<string, SubresourceType> {
  const subresources = new Map<string, SubresourceType>();
  if (version.subresources?.status) subresources.set('status', { name: 'status', kind, verbs: subresourceVerbs });
  if (version.subresources?.scale) {
    const scale = { name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: subresourceVerbs };
    subresources.set('scale', scale);
  }
  return subresources;
}

function customKind(crd: Crd, version: CrdVersion): CustomKind {
  const scale = version.subresources?.scale;
  return {
    crdName: crd.metadata.name,
    preserveUnknownFields: crd.spec.preserveUnknownFields === true,
    hasDefaults: hasDefaults(version.schema?.openAPIV3Schema as Schema | undefined),
    ...(scale ? { scale } : {}),
    selectableFields: (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, '')),
  };
}
