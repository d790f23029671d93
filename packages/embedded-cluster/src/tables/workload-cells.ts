import { numberAt, objectAt, specOf, statusOf, textAt } from '../kinds/builtin/checks/read.ts';
import type { Cells } from '../kinds/builtin-types.ts';
import { type JsonObject, type KubeObject, type ResourceKey, splitApiVersion } from '../objects.ts';
import { ageOf } from './age.ts';
import { containerCells, formatLabels, formatSelector, labelSelectorText, none } from './texts.ts';

function countIn(parent: JsonObject, key: string): number {
  return numberAt(parent, key) ?? 0;
}

function podSpecOf(object: KubeObject): JsonObject | undefined {
  return objectAt(objectAt(specOf(object), 'template'), 'spec');
}

const deployment: Cells = (object, nowMs) => {
  const status = statusOf(object);
  return [
    object.metadata.name,
    `${countIn(status, 'readyReplicas')}/${countIn(specOf(object), 'replicas')}`,
    countIn(status, 'updatedReplicas'),
    countIn(status, 'availableReplicas'),
    ageOf(object, nowMs),
    ...containerCells(podSpecOf(object)),
    labelSelectorText(objectAt(specOf(object), 'selector')) ?? '<invalid>',
  ];
};

function replicaCells(object: KubeObject, nowMs: number): readonly unknown[] {
  const status = statusOf(object);
  return [
    object.metadata.name,
    countIn(specOf(object), 'replicas'),
    countIn(status, 'replicas'),
    countIn(status, 'readyReplicas'),
    ageOf(object, nowMs),
    ...containerCells(podSpecOf(object)),
  ];
}

const replicaSet: Cells = (object, nowMs) => [
  ...replicaCells(object, nowMs),
  formatSelector(objectAt(specOf(object), 'selector')),
];

const replicationController: Cells = (object, nowMs) => [
  ...replicaCells(object, nowMs),
  formatLabels(specOf(object), 'selector'),
];

const statefulSet: Cells = (object, nowMs) => [
  object.metadata.name,
  `${countIn(statusOf(object), 'readyReplicas')}/${countIn(specOf(object), 'replicas')}`,
  ageOf(object, nowMs),
  ...containerCells(podSpecOf(object)),
];

const daemonSet: Cells = (object, nowMs) => {
  const status = statusOf(object);
  return [
    object.metadata.name,
    countIn(status, 'desiredNumberScheduled'),
    countIn(status, 'currentNumberScheduled'),
    countIn(status, 'numberReady'),
    countIn(status, 'updatedNumberScheduled'),
    countIn(status, 'numberAvailable'),
    formatLabels(podSpecOf(object), 'nodeSelector'),
    ageOf(object, nowMs),
    ...containerCells(podSpecOf(object)),
    formatSelector(objectAt(specOf(object), 'selector')),
  ];
};

const controllerRevision: Cells = (object, nowMs) => [
  object.metadata.name,
  controllerText(object),
  numberAt(object, 'revision') ?? 0,
  ageOf(object, nowMs),
];

/** `statefulset.apps/web` */
function controllerText({ metadata }: KubeObject): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (!owner) return none;
  const { group } = splitApiVersion(owner.apiVersion);
  return `${(group === '' ? owner.kind : `${owner.kind}.${group}`).toLowerCase()}/${owner.name}`;
}

const podTemplate: Cells = (object) => {
  const template = objectAt(object, 'template');
  return [
    object.metadata.name,
    ...containerCells(objectAt(template, 'spec')),
    formatLabels(objectAt(template, 'metadata'), 'labels'),
  ];
};

const disruptionBudget: Cells = (object, nowMs) => [
  object.metadata.name,
  amountText(specOf(object)['minAvailable']),
  amountText(specOf(object)['maxUnavailable']),
  countIn(statusOf(object), 'disruptionsAllowed'),
  ageOf(object, nowMs),
];

function amountText(amount: unknown): string {
  return typeof amount === 'number' || typeof amount === 'string' ? String(amount) : 'N/A';
}

const lease: Cells = (object, nowMs) => [
  object.metadata.name,
  textAt(specOf(object), 'holderIdentity'),
  ageOf(object, nowMs),
];

export const workloadCells: readonly (readonly [ResourceKey, Cells])[] = [
  ['apps/deployments', deployment],
  ['apps/replicasets', replicaSet],
  ['apps/statefulsets', statefulSet],
  ['apps/daemonsets', daemonSet],
  ['apps/controllerrevisions', controllerRevision],
  ['replicationcontrollers', replicationController],
  ['podtemplates', podTemplate],
  ['policy/poddisruptionbudgets', disruptionBudget],
  ['coordination.k8s.io/leases', lease],
];
