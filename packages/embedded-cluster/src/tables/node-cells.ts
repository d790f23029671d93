import { objectAt, objectsAt, specOf, statusOf, textAt } from '../kinds/builtin/checks/read.ts';
import type { Cells } from '../kinds/builtin-types.ts';
import type { JsonObject, KubeObject } from '../objects.ts';
import { ageOf } from './age.ts';
import { conditionStatus, distinct, none, orNone } from './texts.ts';

const rolePrefix = 'node-role.kubernetes.io/';
const roleLabel = 'kubernetes.io/role';

export const nodeCells: Cells = (node, nowMs) => {
  const status = statusOf(node);
  const info = objectAt(status, 'nodeInfo');
  return [
    node.metadata.name,
    nodeStatus(node),
    nodeRoles(node),
    ageOf(node, nowMs),
    textAt(info, 'kubeletVersion'),
    addressOf(status, 'InternalIP'),
    addressOf(status, 'ExternalIP'),
    orUnknown(textAt(info, 'osImage')),
    kernelText(info),
    orUnknown(textAt(info, 'containerRuntimeVersion')),
  ];
};

function nodeStatus(node: KubeObject): string {
  const ready = conditionStatus(statusOf(node), 'Ready');
  const readiness = ready === undefined ? 'Unknown' : ready === 'True' ? 'Ready' : 'NotReady';
  return specOf(node)['unschedulable'] === true ? `${readiness},SchedulingDisabled` : readiness;
}

function nodeRoles({ metadata }: KubeObject): string {
  const roles = Object.entries(metadata.labels ?? {}).map(([label, value]) => {
    if (label.startsWith(rolePrefix)) return label.slice(rolePrefix.length);
    return label === roleLabel ? value : '';
  });
  return orNone(distinct(roles).join(','));
}

function addressOf(status: JsonObject, type: string): string {
  const address = objectsAt(status, 'addresses').find((of) => of['type'] === type);
  return address ? textAt(address, 'address') : none;
}

function kernelText(info: JsonObject | undefined): string {
  const architecture = textAt(info, 'architecture');
  const version = orUnknown(textAt(info, 'kernelVersion'));
  return architecture === '' ? version : `${version} (${architecture})`;
}

function orUnknown(text: string): string {
  return text === '' ? '<unknown>' : text;
}
