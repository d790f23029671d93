import {
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  specOf,
  statusOf,
  textAt,
  textsAt,
} from '../kinds/builtin/checks/read.ts';
import type { Cells } from '../kinds/builtin-types.ts';
import type { JsonObject, ResourceKey } from '../objects.ts';
import { ageOf } from './age.ts';
import { conditionStatus, none, quantityText } from './texts.ts';

const nameAndAge: Cells = (object, nowMs) => [object.metadata.name, ageOf(object, nowMs)];

/** Kinds without columns of their own. */
const nameAndCreation: Cells = ({ metadata }) => [metadata.name, metadata.creationTimestamp ?? null];

const namespace: Cells = (object, nowMs) => [
  object.metadata.name,
  textAt(statusOf(object), 'phase'),
  ageOf(object, nowMs),
];

const configMap: Cells = (object, nowMs) => [
  object.metadata.name,
  sizeOf(object, 'data') + sizeOf(object, 'binaryData'),
  ageOf(object, nowMs),
];

const secret: Cells = (object, nowMs) => [
  object.metadata.name,
  textAt(object, 'type'),
  sizeOf(object, 'data'),
  ageOf(object, nowMs),
];

function sizeOf(parent: JsonObject, key: string): number {
  return Object.keys(objectAt(parent, key) ?? {}).length;
}

const resourceQuota: Cells = (object, nowMs) => {
  const hard = objectAt(statusOf(object), 'hard') ?? {};
  const used = objectAt(statusOf(object), 'used') ?? {};
  const names = Object.keys(hard).sort();
  const text = (of: readonly string[]): string =>
    of.map((name) => `${name}: ${quantityText(used[name])}/${quantityText(hard[name])}`).join(', ');
  return [
    object.metadata.name,
    text(names.filter((name) => !name.startsWith('limits.'))),
    text(names.filter((name) => name.startsWith('limits.'))),
    ageOf(object, nowMs),
  ];
};

const webhookConfiguration: Cells = (object, nowMs) => [
  object.metadata.name,
  listAt(object, 'webhooks').length,
  ageOf(object, nowMs),
];

const binding: Cells = (object, nowMs) => {
  const role = objectAt(object, 'roleRef');
  const subjects = objectsAt(object, 'subjects');
  const ofKind = (kind: string): readonly JsonObject[] => subjects.filter((subject) => subject['kind'] === kind);
  const names = (of: readonly JsonObject[]): string => of.map((subject) => textAt(subject, 'name')).join(', ');
  const accounts = ofKind('ServiceAccount').map((of) => `${textAt(of, 'namespace')}/${textAt(of, 'name')}`);
  return [
    object.metadata.name,
    `${textAt(role, 'kind')}/${textAt(role, 'name')}`,
    ageOf(object, nowMs),
    names(ofKind('User')),
    names(ofKind('Group')),
    accounts.join(', '),
  ];
};

const priorityClass: Cells = (object, nowMs) => [
  object.metadata.name,
  numberAt(object, 'value') ?? 0,
  object['globalDefault'] === true,
  ageOf(object, nowMs),
  textAt(object, 'preemptionPolicy'),
];

const runtimeClass: Cells = (object, nowMs) => [object.metadata.name, textAt(object, 'handler'), ageOf(object, nowMs)];

const podGroup: Cells = (object, nowMs) => {
  const spec = specOf(object);
  const workload = objectAt(spec, 'workloadRef');
  return [
    object.metadata.name,
    objectAt(objectAt(spec, 'schedulingPolicy'), 'gang') ? 'Gang' : 'Basic',
    workload ? textAt(workload, 'workloadName') : none,
    podGroupStatus(statusOf(object)),
    ageOf(object, nowMs),
  ];
};

function podGroupStatus(status: JsonObject): string {
  const disruption = objectsAt(status, 'conditions').findLast((condition) => condition['type'] === 'DisruptionTarget');
  if (disruption) return textAt(disruption, 'reason');
  const scheduled = conditionStatus(status, 'PodGroupInitiallyScheduled');
  if (scheduled === undefined) return 'Pending';
  return scheduled === 'True' ? 'Scheduled' : 'Unschedulable';
}

const customResourceDefinition: Cells = (object) => {
  const spec = specOf(object);
  const names = objectAt(spec, 'names');
  const served = objectsAt(spec, 'versions').filter((version) => version['served'] === true);
  const versions = served.map((of) => `${textAt(of, 'name')}${of['storage'] === true ? '(storage)' : ''}`);
  return [
    object.metadata.name,
    textAt(spec, 'scope'),
    versions.sort().join(','),
    object.metadata.creationTimestamp ?? null,
    textAt(spec, 'group'),
    textAt(names, 'kind'),
    textsAt(names, 'shortNames').join(','),
    conditionStatus(statusOf(object), 'Established') === 'True',
  ];
};

export const plainCells: readonly (readonly [ResourceKey, Cells])[] = [
  ['namespaces', namespace],
  ['configmaps', configMap],
  ['secrets', secret],
  ['serviceaccounts', nameAndAge],
  ['resourcequotas', resourceQuota],
  ['limitranges', nameAndCreation],
  ['admissionregistration.k8s.io/mutatingwebhookconfigurations', webhookConfiguration],
  ['admissionregistration.k8s.io/validatingwebhookconfigurations', webhookConfiguration],
  ['apiextensions.k8s.io/customresourcedefinitions', customResourceDefinition],
  ['node.k8s.io/runtimeclasses', runtimeClass],
  ['rbac.authorization.k8s.io/roles', nameAndCreation],
  ['rbac.authorization.k8s.io/clusterroles', nameAndCreation],
  ['rbac.authorization.k8s.io/rolebindings', binding],
  ['rbac.authorization.k8s.io/clusterrolebindings', binding],
  ['scheduling.k8s.io/priorityclasses', priorityClass],
  ['scheduling.k8s.io/podgroups', podGroup],
  ['scheduling.k8s.io/workloads', nameAndAge],
  ['resource.k8s.io/deviceclasses', nameAndAge],
  ['resource.k8s.io/resourceclaimtemplates', nameAndAge],
];
