import { type FieldError, invalid, required } from '@holdfast/base/field-errors';
import type { JsonObject, KubeObject } from '../../../objects.ts';
import type { Strategy } from '../../strategy.ts';
import { requiredText } from '../checks/field-checks.ts';
import { ensureObject, fillIn, isThere, listAt, numberAt, objectAt, specOf, textAt } from '../checks/read.ts';

const defaultUtilization = 80;

function applyDefaults(autoscaler: KubeObject): void {
  const spec = ensureObject(autoscaler, 'spec');
  if (spec === undefined) return;
  fillIn(spec, 'minReplicas', 1);
  if (autoscaler.apiVersion === 'autoscaling/v2' && listAt(spec, 'metrics').length === 0) {
    const target = { type: 'Utilization', averageUtilization: defaultUtilization };
    spec['metrics'] = [{ type: 'Resource', resource: { name: 'cpu', target } }];
  }
}

function replicaErrors(spec: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const min = numberAt(spec, 'minReplicas');
  const max = numberAt(spec, 'maxReplicas') ?? 0;
  if (min !== undefined && min < 1) errors.push(invalid('spec.minReplicas', min, 'must be greater than or equal to 1'));
  if (max < 0) errors.push(invalid('spec.maxReplicas', max, 'must be greater than 0'));
  if (min !== undefined && max < min) {
    errors.push(invalid('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`'));
  }
  return errors;
}

function targetErrors(target: JsonObject | undefined, path: string): readonly FieldError[] {
  const errors = ['kind', 'name'].flatMap((key) => requiredText(target, key, path));
  const apiVersion = textAt(target, 'apiVersion');
  if (apiVersion !== '') return errors;
  return [...errors, invalid(`${path}.apiVersion`, apiVersion, 'apiVersion must specify API group')];
}

function validate(autoscaler: KubeObject): readonly FieldError[] {
  const spec = specOf(autoscaler);
  return [
    ...replicaErrors(spec),
    ...targetErrors(objectAt(spec, 'scaleTargetRef'), 'spec.scaleTargetRef'),
    ...(numberAt(spec, 'maxReplicas') ? [] : [required('spec.maxReplicas', '')]),
  ];
}

export const autoscalerStrategy: Strategy = {
  applyDefaults,
  prepareForCreate(draft) {
    draft['status'] = { desiredReplicas: 0, currentMetrics: null };
  },
  validate,
  validateSubresource(subresource, autoscaler) {
    const status = objectAt(autoscaler, 'status');
    if (subresource !== 'status' || !isThere(status)) return [];
    return ['currentReplicas', 'desiredReplicas'].flatMap((key) => {
      const value = numberAt(status, key) ?? 0;
      return value < 0 ? [invalid(`status.${key}`, value, 'must be greater than or equal to 0')] : [];
    });
  },
};
