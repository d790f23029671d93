import {
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  pairsAt,
  specOf,
  statusOf,
  textAt,
  textsAt,
} from '../kinds/builtin/checks/read.ts';
import type { Cells } from '../kinds/builtin-types.ts';
import type { JsonObject, KubeObject, ResourceKey } from '../objects.ts';
import { ageOf, humanDuration } from './age.ts';
import { none, orNone, unset } from './texts.ts';

const apiService: Cells = (object, nowMs) => {
  const service = objectAt(specOf(object), 'service');
  const available = conditionOf(object, 'Available');
  const [status, reason] = [textAt(available, 'status') || 'Unknown', textAt(available, 'reason')];
  return [
    object.metadata.name,
    service === undefined ? 'Local' : `${textAt(service, 'namespace')}/${textAt(service, 'name')}`,
    status === 'True' || reason === '' ? status : `${status} (${reason})`,
    ageOf(object, nowMs),
  ];
};

function conditionOf(object: KubeObject, type: string): JsonObject | undefined {
  return objectsAt(statusOf(object), 'conditions').find((condition) => textAt(condition, 'type') === type);
}

const certificateRequest: Cells = (object, nowMs) => {
  const spec = specOf(object);
  const seconds = numberAt(spec, 'expirationSeconds');
  return [
    object.metadata.name,
    ageOf(object, nowMs),
    orNone(textAt(spec, 'signerName')),
    textAt(spec, 'username'),
    seconds === undefined ? none : humanDuration(seconds * 1000),
    requestState(object),
  ];
};

/** What was decided, what went wrong, and whether there is a certificate. */
function requestState(object: KubeObject): string {
  const states = ['Approved', 'Denied', 'Failed'].filter((type) => conditionOf(object, type) !== undefined);
  const decided = states.filter((state) => state !== 'Failed');
  const issued = textAt(statusOf(object), 'certificate') === '' ? [] : ['Issued'];
  const failed = states.includes('Failed') ? ['Failed'] : [];
  return [...(decided.length === 0 ? ['Pending'] : decided), ...failed, ...issued].join(',');
}

const flowSchema: Cells = (object, nowMs) => {
  const spec = specOf(object);
  return [
    object.metadata.name,
    orNone(textAt(objectAt(spec, 'priorityLevelConfiguration'), 'name')),
    numberAt(spec, 'matchingPrecedence') ?? 0,
    orNone(textAt(objectAt(spec, 'distinguisherMethod'), 'type')),
    ageOf(object, nowMs),
    textAt(conditionOf(object, 'Dangling'), 'status') || '?',
  ];
};

const priorityLevel: Cells = (object, nowMs) => {
  const limited = objectAt(specOf(object), 'limited');
  const queuing = objectAt(objectAt(limited, 'limitResponse'), 'queuing');
  const shown = (parent: JsonObject | undefined, key: string) => numberAt(parent, key) ?? none;
  return [
    object.metadata.name,
    textAt(specOf(object), 'type'),
    shown(limited, 'nominalConcurrencyShares'),
    shown(queuing, 'queues'),
    shown(queuing, 'handSize'),
    shown(queuing, 'queueLengthLimit'),
    ageOf(object, nowMs),
  ];
};

const migrationStates = ['Succeeded', 'Failed', 'Running'];

const migration: Cells = (object) => {
  const resource = objectAt(specOf(object), 'resource');
  const group = textAt(resource, 'group');
  const state = migrationStates.find((type) => textAt(conditionOf(object, type), 'status') === 'True');
  const name = textAt(resource, 'resource');
  return [object.metadata.name, group === '' ? name : `${name}.${group}`, state ?? 'Unknown'];
};

const csiDriver: Cells = (object, nowMs) => {
  const spec = specOf(object);
  const audiences = objectsAt(spec, 'tokenRequests').map((request) => textAt(request, 'audience'));
  return [
    object.metadata.name,
    spec['attachRequired'] !== false,
    spec['podInfoOnMount'] === true,
    spec['storageCapacity'] === true,
    audiences.length === 0 ? unset : audiences.join(','),
    spec['requiresRepublish'] === true,
    orNone(textsAt(spec, 'volumeLifecycleModes').join(',')),
    ageOf(object, nowMs),
  ];
};

const csiNode: Cells = (object, nowMs) => [
  object.metadata.name,
  listAt(specOf(object), 'drivers').length,
  ageOf(object, nowMs),
];

const volumeAttachment: Cells = (object, nowMs) => {
  const spec = specOf(object);
  return [
    object.metadata.name,
    textAt(spec, 'attacher'),
    textAt(objectAt(spec, 'source'), 'persistentVolumeName'),
    textAt(spec, 'nodeName'),
    statusOf(object)['attached'] === true,
    ageOf(object, nowMs),
  ];
};

/** `parts` is what the policy is made of. */
function policy(parts: 'validations' | 'mutations'): Cells {
  return (object, nowMs) => {
    const spec = specOf(object);
    const kind = objectAt(spec, 'paramKind');
    const shown = kind === undefined ? unset : `${textAt(kind, 'apiVersion')}/${textAt(kind, 'kind')}`;
    return [object.metadata.name, listAt(spec, parts).length, shown, ageOf(object, nowMs)];
  };
}

const policyBinding: Cells = (object, nowMs) => {
  const spec = specOf(object);
  return [
    object.metadata.name,
    textAt(spec, 'policyName'),
    paramText(objectAt(spec, 'paramRef')),
    ageOf(object, nowMs),
  ];
};

function paramText(reference: JsonObject | undefined): string {
  if (reference === undefined) return unset;
  const [name, namespace] = [textAt(reference, 'name'), textAt(reference, 'namespace')];
  if (name !== '') return namespace === '' ? `*/${name}` : `${namespace}/${name}`;
  const labels = pairsAt(objectAt(reference, 'selector'), 'matchLabels').map(([key, value]) => `${key}: ${value},`);
  // As Go prints the structure.
  return `&LabelSelector{MatchLabels:map[string]string{${labels.sort().join('')}},MatchExpressions:[]LabelSelectorRequirement{},}`;
}

export const controlPlaneCells: readonly (readonly [ResourceKey, Cells])[] = [
  ['admissionregistration.k8s.io/validatingadmissionpolicies', policy('validations')],
  ['admissionregistration.k8s.io/mutatingadmissionpolicies', policy('mutations')],
  ['admissionregistration.k8s.io/validatingadmissionpolicybindings', policyBinding],
  ['admissionregistration.k8s.io/mutatingadmissionpolicybindings', policyBinding],
  ['apiregistration.k8s.io/apiservices', apiService],
  ['certificates.k8s.io/certificatesigningrequests', certificateRequest],
  ['flowcontrol.apiserver.k8s.io/flowschemas', flowSchema],
  ['flowcontrol.apiserver.k8s.io/prioritylevelconfigurations', priorityLevel],
  ['storagemigration.k8s.io/storageversionmigrations', migration],
  ['storage.k8s.io/csidrivers', csiDriver],
  ['storage.k8s.io/csinodes', csiNode],
  ['storage.k8s.io/volumeattachments', volumeAttachment],
];
