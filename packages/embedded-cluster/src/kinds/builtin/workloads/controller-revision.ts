import { type FieldError, required } from '@holdfast/base/field-errors';
import type { KubeObject } from '../../../objects.ts';
import { isJsonObject } from '../../../schema/json-values.ts';
import type { Strategy } from '../../strategy.ts';
import { notNegative, unchanged } from '../checks/field-checks.ts';
import { isThere, numberAt } from '../checks/read.ts';

function revisionErrors(revision: KubeObject): readonly FieldError[] {
  const value = numberAt(revision, 'revision') ?? 0;
  return value >= 0 ? [] : [{ type: 'FieldValueInvalid', field: 'revision', value, detail: notNegative }];
}

function dataErrors(data: unknown): readonly FieldError[] {
  if (!isThere(data)) return [required('data', 'data is mandatory')];
  return isJsonObject(data) ? [] : [required('data', 'data must be a valid JSON object')];
}

export const controllerRevisionStrategy: Strategy = {
  validate: (revision) => [...revisionErrors(revision), ...dataErrors(revision['data'])],
  validateUpdate: (revision, old) => unchanged('data', revision['data'], old['data']),
};
