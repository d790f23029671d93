import { type FieldError, invalid, required } from '@holdfast/base/field-errors';
import type { JsonObject, KubeObject } from '../../../objects.ts';
import type { Strategy } from '../../strategy.ts';
import {
  amountErrors,
  amountNumber,
  atMostAll,
  notNegativeFields,
  oneOf,
  optionalText,
  unchangedFields,
} from '../checks/field-checks.ts';
import { dnsLabelName } from '../checks/object-names.ts';
import {
  ensureObject,
  fillIn,
  fillInText,
  isThere,
  objectAt,
  objectsAt,
  specOf,
  statusOf,
  textAt,
} from '../checks/read.ts';
import { dnsLabelProblems } from '../checks/syntax.ts';
import { claimDefaults, claimSpecErrors } from '../claim-spec.ts';
import {
  alwaysRunningErrors,
  applyTemplateDefaults,
  selectorMatchErrors,
  templateErrors,
} from '../pods/pod-template.ts';
import { collisionErrors, replicaStatusErrors, workloadSelectorErrors } from './workload-checks.ts';

function applyDefaults(set: KubeObject): void {
  const spec = ensureObject(set, 'spec');
  if (spec === undefined) return;
  fillInText(spec, 'podManagementPolicy', 'OrderedReady');
  fillIn(spec, 'replicas', 1);
  fillIn(spec, 'revisionHistoryLimit', 10);
  fillIn(spec, 'serviceName', '');
  const strategy = ensureObject(spec, 'updateStrategy');
  if (strategy !== undefined) strategyDefaults(strategy);
  const retention = ensureObject(spec, 'persistentVolumeClaimRetentionPolicy');
  if (retention !== undefined) {
    fillInText(retention, 'whenDeleted', 'Retain');
    fillInText(retention, 'whenScaled', 'Retain');
  }
  applyTemplateDefaults(spec);
  for (const claim of objectsAt(spec, 'volumeClaimTemplates')) claimTemplateDefaults(claim);
}

/** A strategy without a type gets one; a type alone gets no parameters. */
function strategyDefaults(strategy: JsonObject): void {
  if (textAt(strategy, 'type') === '') {
    strategy['type'] = 'RollingUpdate';
    ensureObject(strategy, 'rollingUpdate');
  }
  const rolling = objectAt(strategy, 'rollingUpdate');
  if (strategy['type'] !== 'RollingUpdate' || rolling === undefined) return;
  fillIn(rolling, 'partition', 0);
  fillIn(rolling, 'maxUnavailable', 1);
}

function claimTemplateDefaults(claim: JsonObject): void {
  fillInText(claim, 'apiVersion', 'v1');
  fillInText(claim, 'kind', 'PersistentVolumeClaim');
  claimDefaults(claim);
}

const onlyRolling = "only allowed for updateStrategy 'RollingUpdate'";

function strategyErrors(strategy: JsonObject | undefined, path: string): readonly FieldError[] {
  const rolling = objectAt(strategy, 'rollingUpdate');
  switch (textAt(strategy, 'type')) {
    case '':
      return [required(path, '')];
    case 'OnDelete':
      return rolling === undefined ? [] : [invalid(`${path}.rollingUpdate`, shownRolling(rolling), onlyRolling)];
    case 'RollingUpdate':
      return rolling === undefined ? [] : rollingErrors(rolling, `${path}.rollingUpdate`);
    default: {
      const shown = { Type: strategy?.['type'], RollingUpdate: rolling === undefined ? null : shownRolling(rolling) };
      return [invalid(path, shown, "must be 'RollingUpdate' or 'OnDelete'")];
    }
  }
}

/** Refusals print these values with the names that the API server uses inside. */
function shownRolling(rolling: JsonObject): JsonObject {
  return { Partition: rolling['partition'] ?? 0, MaxUnavailable: rolling['maxUnavailable'] ?? null };
}

function rollingErrors(rolling: JsonObject, path: string): readonly FieldError[] {
  const errors = [...notNegativeFields(rolling, path, ['partition'])];
  const { maxUnavailable } = rolling;
  if (!isThere(maxUnavailable)) return errors;
  const field = `${path}.maxUnavailable`;
  errors.push(...amountErrors(maxUnavailable, field));
  if (amountNumber(maxUnavailable) === 0) errors.push(invalid(field, maxUnavailable, 'cannot be 0'));
  return [...errors, ...atMostAll(maxUnavailable, field)];
}

function managementErrors(spec: JsonObject): readonly FieldError[] {
  const policy = textAt(spec, 'podManagementPolicy');
  const field = 'spec.podManagementPolicy';
  if (policy === '') return [required(field, '')];
  if (policy === 'OrderedReady' || policy === 'Parallel') return [];
  return [invalid(field, policy, "must be 'OrderedReady' or 'Parallel'")];
}

const retentions = ['Retain', 'Delete'] as const;

function retentionErrors(policy: JsonObject | undefined, path: string): readonly FieldError[] {
  if (policy === undefined) return [];
  return [...oneOf(policy, 'whenDeleted', path, retentions), ...oneOf(policy, 'whenScaled', path, retentions)];
}

function claimErrors(spec: JsonObject): readonly FieldError[] {
  return objectsAt(spec, 'volumeClaimTemplates').flatMap((claim, index) =>
    claimSpecErrors(objectAt(claim, 'spec') ?? {}, `spec.volumeClaimTemplates[${index}].spec`),
  );
}

/** The pods get a volume for each claim, and names of their own: the template need not have either right. */
function podTemplateErrors(spec: JsonObject): readonly FieldError[] {
  const claims = objectsAt(spec, 'volumeClaimTemplates').map((claim) => textAt(objectAt(claim, 'metadata'), 'name'));
  const template = objectAt(spec, 'template') ?? {};
  const podSpec = { ...objectAt(template, 'spec') };
  delete podSpec['hostname'];
  delete podSpec['subdomain'];
  return [
    ...selectorMatchErrors(spec['selector'], template, 'spec.template'),
    ...templateErrors({ ...template, spec: podSpec }, 'spec.template', claims),
    ...alwaysRunningErrors(template, 'spec.template', 'StatefulSet'),
  ];
}

function validate(set: KubeObject): readonly FieldError[] {
  const spec = specOf(set);
  return [
    ...managementErrors(spec),
    ...strategyErrors(objectAt(spec, 'updateStrategy'), 'spec.updateStrategy'),
    ...retentionErrors(objectAt(spec, 'persistentVolumeClaimRetentionPolicy'), retentionField),
    ...claimErrors(spec),
    ...notNegativeFields(spec, 'spec', ['replicas', 'minReadySeconds']),
    ...notNegativeFields(objectAt(spec, 'ordinals'), 'spec.ordinals', ['start']),
    ...optionalText(spec, 'serviceName', 'spec', dnsLabelProblems),
    ...workloadSelectorErrors(spec['selector'], 'statefulset'),
    ...podTemplateErrors(spec),
  ];
}

const retentionField = 'spec.persistentVolumeClaimRetentionPolicy';
const fixed = ['selector', 'volumeClaimTemplates', 'serviceName', 'podManagementPolicy'] as const;
const parts = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const;
const counts = ['replicas', ...parts, 'observedGeneration', 'collisionCount'] as const;

export const statefulSetStrategy: Strategy = {
  nameProblem: dnsLabelName,
  applyDefaults,
  prepareForCreate(draft) {
    draft['status'] = { replicas: 0, availableReplicas: 0 };
  },
  validate,
  validateUpdate: (set, old) => unchangedFields(specOf(set), specOf(old), 'spec', fixed),
  validateSubresource(subresource, set, old) {
    if (subresource !== 'status') return [];
    const status = statusOf(set);
    return [
      ...replicaStatusErrors(status, parts, counts, 'status.readyReplicas'),
      ...collisionErrors(status, statusOf(old)),
    ];
  },
};
