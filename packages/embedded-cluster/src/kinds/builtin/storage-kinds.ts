/** Claims, volumes and storage classes. */

import { type FieldError, forbidden, invalid, notSupported, required } from '@holdfast/base/field-errors';
import { sameJson } from '@holdfast/base/json';
import type { JsonObject, KubeObject } from '../../objects.ts';
import { timestamp } from '../../time/clock.ts';
import { compareQuantities, zeroQuantity } from '../quantity.ts';
import type { Strategy } from '../strategy.ts';
import { oneOfIfThere, optionalText, requiredText, unchanged } from './checks/field-checks.ts';
import { ensureObject, fillIn, fillInText, objectAt, specOf, statusOf, textAt } from './checks/read.ts';
import { canonicalQuantities, quantityAt } from './checks/resource-lists.ts';
import { structDiff } from './checks/struct-diff.ts';
import { dnsSubdomainProblems, labelKeyProblems } from './checks/syntax.ts';
import { accessModeErrors, claimDefaults, claimSpecErrors } from './claim-spec.ts';
import { hostPathDefaults } from './pods/pod-defaults.ts';
import { emptyStatus } from './workloads/workload-checks.ts';

function requestsOf(spec: JsonObject): JsonObject | undefined {
  return objectAt(objectAt(spec, 'resources'), 'requests');
}

/** The new spec with the changes taken back that a claim may make. */
function withChangesUndone(claim: KubeObject, before: JsonObject): JsonObject {
  const now = specOf(claim);
  const kept: JsonObject = { ...now };
  if (textAt(before, 'volumeName') === '') delete kept['volumeName'];
  // A class may be chosen later, but not changed.
  if (before['storageClassName'] === undefined) delete kept['storageClassName'];
  if (textAt(statusOf(claim), 'phase') !== 'Bound') return kept;
  const resources = objectAt(now, 'resources') ?? {};
  kept['resources'] = { ...resources, requests: { ...requestsOf(now), storage: requestsOf(before)?.['storage'] } };
  kept['volumeAttributesClassName'] = before['volumeAttributesClassName'];
  return kept;
}

function claimUpdateErrors(claim: KubeObject, old: KubeObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const [now, before] = [specOf(claim), specOf(old)];
  const kept = withChangesUndone(claim, before);
  if (!sameJson(kept, before)) {
    const rule =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    errors.push(forbidden('spec', `${rule}\n${structDiff(before, kept)}\n`));
  }
  const size = quantityAt(requestsOf(now), 'storage') ?? zeroQuantity;
  const smaller = compareQuantities(size, quantityAt(requestsOf(before), 'storage') ?? zeroQuantity) < 0;
  const capacity = quantityAt(objectAt(statusOf(old), 'capacity'), 'storage') ?? zeroQuantity;
  if (smaller && compareQuantities(size, capacity) <= 0) {
    errors.push(forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity'));
  }
  return [...errors, ...unchanged('volumeMode', now['volumeMode'], before['volumeMode'])];
}

export const claimStrategy: Strategy = {
  applyDefaults: claimDefaults,
  prepareForCreate(draft) {
    draft['status'] = { phase: 'Pending' };
  },
  validate: (claim) => claimSpecErrors(specOf(claim), 'spec'),
  validateUpdate: claimUpdateErrors,
};

function volumeErrors(volume: KubeObject): readonly FieldError[] {
  const spec = specOf(volume);
  const errors: FieldError[] = [...accessModeErrors(spec, 'spec', '')];
  const capacity = objectAt(spec, 'capacity');
  if (capacity === undefined || Object.keys(capacity).length === 0) errors.push(required('spec.capacity', ''));
  if (!Object.hasOwn(capacity ?? {}, 'storage') || Object.keys(capacity ?? {}).length > 1) {
    errors.push(notSupported('spec.capacity', capacity ?? null, ['storage']));
  }
  errors.push(...oneOfIfThere(spec, 'persistentVolumeReclaimPolicy', 'spec', ['Delete', 'Recycle', 'Retain']));
  return [...errors, ...optionalText(spec, 'storageClassName', 'spec', dnsSubdomainProblems)];
}

export const volumeStrategy: Strategy = {
  applyDefaults(volume) {
    const spec = ensureObject(volume, 'spec');
    if (spec === undefined) return;
    fillInText(spec, 'persistentVolumeReclaimPolicy', 'Retain');
    fillInText(spec, 'volumeMode', 'Filesystem');
    canonicalQuantities(spec, 'capacity');
    hostPathDefaults(objectAt(spec, 'hostPath'));
    const status = ensureObject(volume, 'status');
    if (status !== undefined) fillInText(status, 'phase', 'Pending');
  },
  prepareForCreate(draft, { clock }) {
    draft['status'] = { phase: 'Pending', lastPhaseTransitionTime: timestamp(clock.now()) };
  },
  validate: volumeErrors,
  validateUpdate: (volume, old) => unchanged('volumeMode', specOf(volume)['volumeMode'], specOf(old)['volumeMode']),
};

function classErrors(storageClass: KubeObject): readonly FieldError[] {
  return [
    ...(textAt(storageClass, 'provisioner') === ''
      ? [required('provisioner', '')]
      : provisionerErrors(textAt(storageClass, 'provisioner'))),
    ...wordErrors(storageClass, 'reclaimPolicy', ['Delete', 'Retain']),
    ...wordErrors(storageClass, 'volumeBindingMode', ['Immediate', 'WaitForFirstConsumer']),
  ];
}

function provisionerErrors(provisioner: string, field = 'provisioner'): readonly FieldError[] {
  return labelKeyProblems(provisioner.toLowerCase()).map((problem) => invalid(field, provisioner, problem));
}

function wordErrors(object: JsonObject, key: string, words: readonly string[]): readonly FieldError[] {
  const word = textAt(object, key);
  return words.includes(word) ? [] : [notSupported(key, word, words)];
}

export const storageClassStrategy: Strategy = {
  applyDefaults(storageClass) {
    fillIn(storageClass, 'reclaimPolicy', 'Delete');
    fillIn(storageClass, 'volumeBindingMode', 'Immediate');
  },
  validate: classErrors,
  validateUpdate: (storageClass, old) => [
    ...forbiddenUpdates(storageClass, old, ['parameters', 'provisioner', 'reclaimPolicy']),
    ...unchanged('volumeBindingMode', storageClass['volumeBindingMode'], old['volumeBindingMode']),
  ],
};

function forbiddenUpdates(now: JsonObject, before: JsonObject, keys: readonly string[]): readonly FieldError[] {
  return keys
    .filter((key) => !sameJson(now[key], before[key]))
    .map((key) => forbidden(key, `updates to ${key} are forbidden.`));
}

/** How volumes that are there already are to be; a driver would have to see to it. */
export const volumeAttributesClassStrategy: Strategy = {
  validate(attributes) {
    const driver = textAt(attributes, 'driverName');
    const parameters = Object.keys(objectAt(attributes, 'parameters') ?? {});
    return [
      ...(driver === '' ? [required('driverName', '')] : provisionerErrors(driver, 'driverName')),
      ...(parameters.length === 0 ? [required('parameters', 'must contain at least one key/value pair')] : []),
    ];
  },
  validateUpdate: (attributes, old) => forbiddenUpdates(attributes, old, ['driverName', 'parameters']),
};

export const volumeAttachmentStrategy: Strategy = {
  prepareForCreate(draft) {
    draft['status'] = { attached: false };
  },
  validate: (attachment) => [
    ...requiredText(specOf(attachment), 'attacher', 'spec'),
    ...requiredText(specOf(attachment), 'nodeName', 'spec'),
  ],
};

export const csiDriverStrategy: Strategy = {
  applyDefaults(driver) {
    const spec = ensureObject(driver, 'spec');
    if (spec === undefined) return;
    fillIn(spec, 'attachRequired', true);
    fillInText(spec, 'fsGroupPolicy', 'ReadWriteOnceWithFSType');
    fillIn(spec, 'volumeLifecycleModes', ['Persistent']);
    for (const flag of driverFlags) fillIn(spec, flag, false);
  },
};

export const csiNodeStrategy: Strategy = { prepareForCreate: emptyStatus };

const driverFlags = [
  'podInfoOnMount',
  'preventPodSchedulingIfMissing',
  'requiresRepublish',
  'seLinuxMount',
  'storageCapacity',
] as const;
