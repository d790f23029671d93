import type { AdmissionRequest } from '../../src/admission/admission.ts';
import { type AdmissionOptions, createAdmission } from '../../src/admission/admission-chain.ts';
import {
  mutatingWebhookConfigurationStrategy,
  validatingWebhookConfigurationStrategy,
} from '../../src/admission/webhooks/webhook-configuration-strategy.ts';
import { ApiError } from '../../src/errors.ts';
import type { ResourceType, ResourceTypes } from '../../src/kinds/resource-type.ts';
import { type JsonObject, type KubeObject, keyOf, objectKey, resourceKey } from '../../src/objects.ts';
import { realClock } from '../../src/time/clock.ts';
import { seededRandom } from '../../src/time/random.ts';
import type { View } from '../../src/view.ts';

/** A cluster's worth of objects in memory, enough for admission to read. */

export function viewOf(objects: Readonly<Record<string, readonly KubeObject[]>>): View {
  const list = (resource: string) => objects[resource] ?? [];
  return {
    get: (resource, namespace, name) =>
      list(resource).find((object) => keyOf(object) === objectKey(namespace, name)) as never,
    list: (resource) => list(resource) as never,
    controlledBy: () => [],
    podsOnNode: () => [],
    dependentsOf: () => [],
    watch: () => ({ stop: () => undefined }),
  };
}

export function typeOf(
  group: string,
  version: string,
  plural: string,
  kind: string,
  more: Partial<ResourceType> = {},
): ResourceType {
  return {
    key: resourceKey(group, plural),
    group,
    version,
    kind,
    plural,
    listKind: `${kind}List`,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: [],
    storageVersion: version,
    schema: undefined,
    subresources: new Map(),
    strategy: {},
    conversion: { kind: 'rename' },
    columns: { definitions: [], cells: () => [] },
    custom: undefined,
    ...more,
  };
}

export const pods = typeOf('', 'v1', 'pods', 'Pod');
export const nodes = typeOf('', 'v1', 'nodes', 'Node', { namespaced: false });
export const namespaces = typeOf('', 'v1', 'namespaces', 'Namespace', { namespaced: false });
export const widgetsV1 = typeOf('example.com', 'v1', 'widgets', 'Widget');
export const widgetsV2 = typeOf('example.com', 'v2', 'widgets', 'Widget', { storageVersion: 'v1' });

export function typesOf(...all: readonly ResourceType[]): ResourceTypes {
  const find = (group: string, version: string, test: (type: ResourceType) => boolean) =>
    all.find((type) => type.group === group && type.version === version && test(type));
  return {
    find: (group, version, plural) => find(group, version, (type) => type.plural === plural),
    byKind: (group, version, kind) => find(group, version, (type) => type.kind === kind),
    storage: (key) => all.find((type) => type.key === key && type.version === type.storageVersion),
    versions: (key) => all.filter((type) => type.key === key),
    all: () => all,
    generation: 1,
  };
}

export function aPod(more: JsonObject = {}, metadata: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-0', namespace: 'shop', ...metadata },
    spec: { serviceAccountName: 'default', containers: [{ name: 'web', image: 'web' }], ...more },
  };
}

export function aNamespace(name: string, labels: Record<string, string> = {}, phase = 'Active'): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels }, status: { phase } };
}

export function aRequest(more: Partial<AdmissionRequest> = {}): AdmissionRequest {
  const type = more.type ?? pods;
  return {
    operation: 'CREATE',
    type,
    subresource: '',
    namespace: 'shop',
    name: 'web-0',
    kind: { group: type.group, version: type.version, kind: type.kind },
    object: aPod(),
    oldObject: undefined,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'kubectl' },
    user: { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] },
    dryRun: false,
    warnings: [],
    ...more,
  };
}

export const everyPod = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] };

export function aWebhook(name: string, url: string, ca: string, more: JsonObject = {}): JsonObject {
  return {
    name,
    clientConfig: { url, caBundle: Buffer.from(ca).toString('base64') },
    rules: [everyPod],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...more,
  };
}

export function validatingConfiguration(name: string, ...webhooks: readonly JsonObject[]): KubeObject {
  return configuration('ValidatingWebhookConfiguration', name, webhooks);
}

export function mutatingConfiguration(name: string, ...webhooks: readonly JsonObject[]): KubeObject {
  return configuration('MutatingWebhookConfiguration', name, webhooks);
}

/** As it would come out of the store: defaults filled in, valid. */
function configuration(kind: string, name: string, webhooks: readonly JsonObject[]): KubeObject {
  const draft: KubeObject = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name },
    webhooks: structuredClone(webhooks),
  };
  const mutating = kind.startsWith('Mutating');
  const strategy = mutating ? mutatingWebhookConfigurationStrategy : validatingWebhookConfigurationStrategy;
  strategy.applyDefaults?.(draft);
  return draft;
}

export const validatingKey = 'admissionregistration.k8s.io/validatingwebhookconfigurations';
export const mutatingKey = 'admissionregistration.k8s.io/mutatingwebhookconfigurations';

export function admissionOver(
  objects: Readonly<Record<string, readonly KubeObject[]>>,
  more: Partial<AdmissionOptions> = {},
): ReturnType<typeof createAdmission> {
  return createAdmission({
    view: viewOf({
      namespaces: [aNamespace('shop', { team: 'shop' })],
      serviceaccounts: [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'shop' } }],
      ...objects,
    }),
    types: typesOf(pods, nodes, namespaces, widgetsV1, widgetsV2),
    clock: realClock,
    random: seededRandom(1),
    resolveService: () => undefined,
    convert: async (_type, object, apiVersion) => ({ ...object, apiVersion }),
    applyDefaults: () => undefined,
    ...more,
  });
}

/** The refusal that the work ends in. */
export async function refusalFrom(work: Promise<unknown>): Promise<ApiError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
