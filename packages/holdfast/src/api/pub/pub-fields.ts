import { readAnnotations } from '@holdfast/base/annotations';
import {
  type FieldError,
  failed,
  invalid,
  notSupported,
  type Parsed,
  parsed,
  required,
} from '@holdfast/base/field-errors';
import { type Fields, isInt32From, isObject, isUnset } from '@holdfast/base/json';
import { labelKeyProblem } from '@holdfast/base/labels/label-syntax';
import type { StringMap } from '@holdfast/base/meta';
import { type ProtectOperation, protectOperations, pubGroup } from './pub.ts';
import { isProtectOperation } from './pub-annotations.ts';

/** Readers of single fields of a PodUnavailableBudget, shared by everything that looks at one. */

const pubVersions = [`${pubGroup}/v1alpha1`, `${pubGroup}/v1beta1`] as const;

export interface PubParts {
  readonly annotations: StringMap;
  readonly spec: Fields;
}

/** Takes an unchecked object apart. An absent spec is an empty one: what it lacks is then said field by field. */
export function takeApart(pub: unknown): Parsed<PubParts> {
  if (!isObject(pub)) return failed(invalid('PodUnavailableBudget', pub, 'must be an object'));
  const errors = [...versionErrors(pub['apiVersion'])];
  const annotations = readAnnotations(pub);
  if (!annotations.ok) errors.push(...annotations.errors);
  const spec = pub['spec'] ?? {};
  if (!isObject(spec)) errors.push(invalid('spec', spec, 'must be an object'));
  if (errors.length > 0 || !annotations.ok || !isObject(spec)) return failed(...errors);
  return parsed({ annotations: annotations.value, spec });
}

/** Items of a list carry no apiVersion, so its absence is no error; a version that we do not know is. */
function versionErrors(apiVersion: unknown): readonly FieldError[] {
  if (apiVersion === undefined || (pubVersions as readonly unknown[]).includes(apiVersion)) return [];
  if (typeof apiVersion !== 'string') return [invalid('apiVersion', apiVersion, 'must be a string')];
  return [invalid('apiVersion', apiVersion, `unsupported version: ${apiVersion}`)];
}

/** Nothing set and an empty list mean the same: the list is empty. */
export function parseOperationsField(value: unknown): Parsed<readonly ProtectOperation[]> {
  const field = 'spec.protectOperations';
  if (value === undefined) return parsed([]);
  if (!Array.isArray(value)) return failed(invalid(field, value, 'must be a list'));
  const errors = value.flatMap((word, index) =>
    isProtectOperation(word) ? [] : [notSupported(`${field}[${index}]`, word, protectOperations)],
  );
  return errors.length > 0 ? failed(...errors) : parsed(value.filter(isProtectOperation));
}

export function parseTotalReplicasField(value: unknown): Parsed<number | undefined> {
  if (value === undefined || isInt32From(1, value)) return parsed(value);
  return failed(invalid('spec.protectTotalReplicas', value, 'must be a 32-bit integer greater than or equal to 1'));
}

export interface GroupRule {
  readonly labelKey: string;
  readonly minReady: number;
}

export function parseGroupPolicy(value: unknown): Parsed<GroupRule | undefined> {
  if (isUnset(value)) return parsed(undefined);
  const field = 'spec.podGroupPolicy';
  if (!isObject(value)) return failed(invalid(field, value, 'must be an object'));
  const { groupLabelKey: labelKey, minReadyReplicas: minReady = 1 } = value;
  const errors = [...groupLabelErrors(labelKey, `${field}.groupLabelKey`)];
  if (!isInt32From(1, minReady)) {
    errors.push(invalid(`${field}.minReadyReplicas`, minReady, 'must be a 32-bit integer greater than or equal to 1'));
  }
  if (errors.length > 0 || typeof labelKey !== 'string' || !isInt32From(1, minReady)) return failed(...errors);
  return parsed({ labelKey, minReady });
}

function groupLabelErrors(key: unknown, field: string): readonly FieldError[] {
  if (isUnset(key) || key === '') return [required(field, 'must name the label whose value is the group')];
  const problem = labelKeyProblem(key);
  return problem === undefined ? [] : [invalid(field, key, problem)];
}
