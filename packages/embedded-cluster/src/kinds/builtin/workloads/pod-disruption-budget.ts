import { type FieldError, invalid } from '@holdfast/base/field-errors';
import type { JsonObject, KubeObject } from '../../../objects.ts';
import type { Strategy } from '../../strategy.ts';
import { amountErrors, atMostAll, notNegativeFields, oneOfIfThere } from '../checks/field-checks.ts';
import { selectorErrors } from '../checks/labels.ts';
import { ensureObject, isThere, specOf, statusOf } from '../checks/read.ts';

const evictionPolicies = ['AlwaysAllow', 'IfHealthyBudget'] as const;

/** Refusals print the spec with the names that the API server uses inside. */
function shown(spec: JsonObject): JsonObject {
  return {
    MinAvailable: spec['minAvailable'] ?? null,
    Selector: spec['selector'] ?? null,
    MaxUnavailable: spec['maxUnavailable'] ?? null,
    UnhealthyPodEvictionPolicy: spec['unhealthyPodEvictionPolicy'] ?? null,
  };
}

function validate(budget: KubeObject): readonly FieldError[] {
  const spec = specOf(budget);
  const errors: FieldError[] = [];
  if (isThere(spec['minAvailable']) && isThere(spec['maxUnavailable'])) {
    errors.push(invalid('spec', shown(spec), 'minAvailable and maxUnavailable cannot be both set'));
  }
  for (const key of ['minAvailable', 'maxUnavailable']) {
    errors.push(...amountErrors(spec[key], `spec.${key}`), ...atMostAll(spec[key], `spec.${key}`));
  }
  errors.push(...selectorErrors(spec['selector'], 'spec.selector'));
  errors.push(...oneOfIfThere(spec, 'unhealthyPodEvictionPolicy', 'spec', evictionPolicies));
  return errors;
}

const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;

/** The counts are always written, also when they are zero. */
function fillCounts(budget: KubeObject): void {
  const status = ensureObject(budget, 'status');
  if (status === undefined) return;
  for (const count of counts) {
    if (!isThere(status[count])) status[count] = 0;
  }
}

export const podDisruptionBudgetStrategy: Strategy = {
  requiresResourceVersion: true,
  applyDefaults(budget) {
    ensureObject(budget, 'spec');
  },
  prepareForCreate(draft) {
    draft['status'] = {};
    fillCounts(draft);
  },
  prepareForSubresource(subresource, draft) {
    if (subresource === 'status') fillCounts(draft);
  },
  validate,
  validateSubresource: (subresource, budget) =>
    subresource === 'status' ? notNegativeFields(statusOf(budget), 'status', counts) : [],
};
