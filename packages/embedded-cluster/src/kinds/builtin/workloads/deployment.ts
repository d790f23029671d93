import { type FieldError, forbidden, invalid, notSupported, required } from '@holdfast/base/field-errors';
import type { JsonObject, KubeObject } from '../../../objects.ts';
import type { Strategy } from '../../strategy.ts';
import { amountErrors, amountNumber, atMostAll, notNegativeFields, unchangedFields } from '../checks/field-checks.ts';
import {
  ensureObject,
  fillIn,
  fillInText,
  isThere,
  numberAt,
  objectAt,
  specOf,
  statusOf,
  textAt,
} from '../checks/read.ts';
import {
  alwaysRunningErrors,
  applyTemplateDefaults,
  selectorMatchErrors,
  templateErrors,
} from '../pods/pod-template.ts';
import { collisionErrors, emptyStatus, replicaStatusErrors, workloadSelectorErrors } from './workload-checks.ts';

function applyDefaults(deployment: KubeObject): void {
  const spec = ensureObject(deployment, 'spec');
  if (spec === undefined) return;
  fillIn(spec, 'replicas', 1);
  fillIn(spec, 'revisionHistoryLimit', 10);
  fillIn(spec, 'progressDeadlineSeconds', 600);
  const strategy = ensureObject(spec, 'strategy');
  if (strategy !== undefined) strategyDefaults(strategy);
  applyTemplateDefaults(spec);
}

function strategyDefaults(strategy: JsonObject): void {
  fillInText(strategy, 'type', 'RollingUpdate');
  if (strategy['type'] !== 'RollingUpdate') return;
  const rolling = ensureObject(strategy, 'rollingUpdate');
  if (rolling === undefined) return;
  fillIn(rolling, 'maxUnavailable', '25%');
  fillIn(rolling, 'maxSurge', '25%');
}

function strategyErrors(strategy: JsonObject | undefined, path: string): readonly FieldError[] {
  const rolling = objectAt(strategy, 'rollingUpdate');
  switch (textAt(strategy, 'type')) {
    case 'Recreate':
      if (rolling === undefined) return [];
      return [forbidden(`${path}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'")];
    case 'RollingUpdate':
      if (rolling !== undefined) return rollingErrors(rolling, `${path}.rollingUpdate`);
      return [required(`${path}.rollingUpdate`, 'this should be defaulted and never be nil')];
    default: {
      const shown = { Type: strategy?.['type'] ?? '', RollingUpdate: rolling ?? null };
      return [notSupported(path, shown, ['Recreate', 'RollingUpdate'])];
    }
  }
}

function rollingErrors(rolling: JsonObject, path: string): readonly FieldError[] {
  const { maxUnavailable, maxSurge } = rolling;
  const field = `${path}.maxUnavailable`;
  const errors = [...amountErrors(maxUnavailable, field), ...amountErrors(maxSurge, `${path}.maxSurge`)];
  if (amountNumber(maxUnavailable) === 0 && amountNumber(maxSurge) === 0) {
    errors.push(invalid(field, maxUnavailable, 'may not be 0 when `maxSurge` is 0'));
  }
  return [...errors, ...atMostAll(maxUnavailable, field)];
}

function deadlineErrors(spec: JsonObject): readonly FieldError[] {
  const field = 'spec.progressDeadlineSeconds';
  const deadline = numberAt(spec, 'progressDeadlineSeconds');
  const errors = notNegativeFields(spec, 'spec', ['progressDeadlineSeconds']);
  if (deadline === undefined || deadline > (numberAt(spec, 'minReadySeconds') ?? 0)) return errors;
  return [...errors, invalid(field, deadline, 'must be greater than minReadySeconds')];
}

function validate(deployment: KubeObject): readonly FieldError[] {
  const spec = specOf(deployment);
  const template = objectAt(spec, 'template') ?? {};
  return [
    ...notNegativeFields(spec, 'spec', ['replicas']),
    ...workloadSelectorErrors(spec['selector'], 'deployment'),
    ...selectorMatchErrors(spec['selector'], template, 'spec.template'),
    ...templateErrors(template, 'spec.template'),
    ...alwaysRunningErrors(template, 'spec.template', 'ReplicaSet'),
    ...strategyErrors(objectAt(spec, 'strategy'), 'spec.strategy'),
    ...notNegativeFields(spec, 'spec', ['minReadySeconds', 'revisionHistoryLimit']),
    ...deadlineErrors(spec),
  ];
}

const counts = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'terminatingReplicas',
  'collisionCount',
] as const;

export const deploymentStrategy: Strategy = {
  applyDefaults,
  prepareForCreate: emptyStatus,
  validate,
  validateUpdate: (deployment, old) => unchangedFields(specOf(deployment), specOf(old), 'spec', ['selector']),
  validateSubresource(subresource, deployment, old) {
    if (subresource !== 'status' || !isThere(deployment['status'])) return [];
    const status = statusOf(deployment);
    const parts = ['updatedReplicas', 'readyReplicas', 'availableReplicas'];
    return [...replicaStatusErrors(status, parts, counts, 'readyReplicas'), ...collisionErrors(status, statusOf(old))];
  },
};
