import { type FieldError, forbidden, invalid } from '@holdfast/base/field-errors';
import type { KubeObject } from '../../objects.ts';
import type { Strategy } from '../strategy.ts';
import { notNegativeFields } from './checks/field-checks.ts';
import { ensureObject, numberAt, specOf, textAt } from './checks/read.ts';

function validate(lease: KubeObject): readonly FieldError[] {
  const spec = specOf(lease);
  const errors: FieldError[] = [];
  const seconds = numberAt(spec, 'leaseDurationSeconds');
  if (seconds !== undefined && seconds <= 0) {
    errors.push(invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0'));
  }
  errors.push(...notNegativeFields(spec, 'spec', ['leaseTransitions']));
  if (textAt(spec, 'preferredHolder') !== '' && textAt(spec, 'strategy') === '') {
    errors.push(forbidden('spec.preferredHolder', 'may only be specified if `strategy` is defined'));
  }
  return errors;
}

export const leaseStrategy: Strategy = {
  applyDefaults(lease) {
    ensureObject(lease, 'spec');
  },
  validate,
  createOnUpdate: true,
  requiresResourceVersion: true,
};
