/** The parts of a pod spec that tell where the pod may run. */

import { type FieldError, forbidden, invalid, notSupported, required } from '@holdfast/base/field-errors';
import type { JsonObject } from '../../../objects.ts';
import { problemsOf } from '../checks/field-checks.ts';
import { labelNameErrors, labelValuesErrors, selectorErrors } from '../checks/labels.ts';
import { isThere, listAt, numberAt, objectAt, objectsAt, textAt, textsAt } from '../checks/read.ts';
import { dnsLabelProblems, labelValueProblems } from '../checks/syntax.ts';

const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

export function taintEffectErrors(effect: string, field: string): readonly FieldError[] {
  return (taintEffects as readonly string[]).includes(effect) ? [] : [notSupported(field, effect, taintEffects)];
}

export function tolerationErrors(tolerations: readonly JsonObject[], path: string): readonly FieldError[] {
  return tolerations.flatMap((toleration, index) => oneTolerationErrors(toleration, `${path}[${index}]`));
}

function oneTolerationErrors(toleration: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const key = textAt(toleration, 'key');
  const operator = textAt(toleration, 'operator');
  const effect = textAt(toleration, 'effect');
  if (key !== '') errors.push(...labelNameErrors(key, `${path}.key`));
  else if (operator !== 'Exists') {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalid(`${path}.operator`, operator, detail));
  }
  if (isThere(toleration['tolerationSeconds']) && effect !== 'NoExecute') {
    errors.push(invalid(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  errors.push(...tolerationValueErrors(operator, textAt(toleration, 'value'), path));
  if (effect !== '') errors.push(...taintEffectErrors(effect, `${path}.effect`));
  return errors;
}

function tolerationValueErrors(operator: string, value: string, path: string): readonly FieldError[] {
  const field = `${path}.operator`;
  switch (operator) {
    case '':
    case 'Equal': {
      const problems = labelValueProblems(value);
      return problems.length === 0 ? [] : [invalid(field, value, problems.join(';'))];
    }
    case 'Exists':
      return value === '' ? [] : [invalid(field, value, "value must be empty when `operator` is 'Exists'")];
    default:
      return [notSupported(field, operator, ['Equal', 'Exists'])];
  }
}

/** New tolerations may come; the ones that are there may only change their seconds. */
export function addedTolerationErrors(
  now: readonly JsonObject[],
  before: readonly JsonObject[],
  path: string,
): readonly FieldError[] {
  const kept = before.every((old) => now.some((toleration) => sameButSeconds(toleration, old)));
  if (!kept) return [forbidden(path, 'existing toleration can not be modified except its tolerationSeconds')];
  return [];
}

function sameButSeconds(left: JsonObject, right: JsonObject): boolean {
  return ['key', 'operator', 'value', 'effect'].every((field) => textAt(left, field) === textAt(right, field));
}

export function affinityErrors(affinity: JsonObject | undefined, path: string): readonly FieldError[] {
  if (affinity === undefined) return [];
  return [
    ...nodeAffinityErrors(objectAt(affinity, 'nodeAffinity'), `${path}.nodeAffinity`),
    ...podAffinityErrors(objectAt(affinity, 'podAffinity'), `${path}.podAffinity`),
    ...podAffinityErrors(objectAt(affinity, 'podAntiAffinity'), `${path}.podAntiAffinity`),
  ];
}

const requiredTerms = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferredTerms = 'preferredDuringSchedulingIgnoredDuringExecution';

function nodeAffinityErrors(affinity: JsonObject | undefined, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const must = objectAt(affinity, requiredTerms);
  if (must !== undefined) {
    const field = `${path}.${requiredTerms}.nodeSelectorTerms`;
    const terms = objectsAt(must, 'nodeSelectorTerms');
    if (terms.length === 0) errors.push(required(field, 'must have at least one node selector term'));
    for (const [index, term] of terms.entries()) errors.push(...nodeTermErrors(term, `${field}[${index}]`));
  }
  for (const [index, term] of objectsAt(affinity, preferredTerms).entries()) {
    const at = `${path}.${preferredTerms}[${index}]`;
    errors.push(...weightErrors(term, at), ...nodeTermErrors(objectAt(term, 'preference'), `${at}.preference`));
  }
  return errors;
}

function nodeTermErrors(term: JsonObject | undefined, path: string): readonly FieldError[] {
  return objectsAt(term, 'matchExpressions').flatMap((expression, index) =>
    nodeRequirementErrors(expression, `${path}.matchExpressions[${index}]`),
  );
}

function nodeRequirementErrors(expression: JsonObject, path: string): readonly FieldError[] {
  const values = listAt(expression, 'values');
  return [
    ...nodeOperatorErrors(textAt(expression, 'operator'), values.length, path),
    ...labelNameErrors(textAt(expression, 'key'), `${path}.key`),
    ...labelValuesErrors(values, `${path}.values`),
  ];
}

function nodeOperatorErrors(operator: string, values: number, path: string): readonly FieldError[] {
  const field = `${path}.values`;
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values > 0 ? [] : [required(field, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (values === 0) return [];
      return [forbidden(field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      return values === 1 ? [] : [required(field, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalid(`${path}.operator`, operator, 'not a valid selector operator')];
  }
}

function weightErrors(term: JsonObject, path: string): readonly FieldError[] {
  const weight = numberAt(term, 'weight') ?? 0;
  return weight >= 1 && weight <= 100 ? [] : [invalid(`${path}.weight`, weight, 'must be in the range 1-100')];
}

function podAffinityErrors(affinity: JsonObject | undefined, path: string): readonly FieldError[] {
  return [
    ...objectsAt(affinity, requiredTerms).flatMap((term, index) =>
      podTermErrors(term, `${path}.${requiredTerms}[${index}]`),
    ),
    ...objectsAt(affinity, preferredTerms).flatMap((term, index) => {
      const at = `${path}.${preferredTerms}[${index}]`;
      return [...weightErrors(term, at), ...podTermErrors(objectAt(term, 'podAffinityTerm'), `${at}.podAffinityTerm`)];
    }),
  ];
}

function podTermErrors(term: JsonObject | undefined, path: string): readonly FieldError[] {
  const topologyKey = textAt(term, 'topologyKey');
  return [
    ...selectorErrors(term?.['labelSelector'], `${path}.labelSelector`),
    ...selectorErrors(term?.['namespaceSelector'], `${path}.namespaceSelector`),
    ...textsAt(term, 'namespaces').flatMap((name) => problemsOf(`${path}.namespace`, name, dnsLabelProblems)),
    ...(topologyKey === '' ? [required(`${path}.topologyKey`, 'can not be empty')] : []),
    ...labelNameErrors(topologyKey, `${path}.topologyKey`),
  ];
}

const unsatisfiable = ['DoNotSchedule', 'ScheduleAnyway'] as const;

export function spreadErrors(constraints: readonly JsonObject[], path: string): readonly FieldError[] {
  return constraints.flatMap((constraint, index) => {
    const at = `${path}[${index}]`;
    const skew = numberAt(constraint, 'maxSkew') ?? 0;
    const action = textAt(constraint, 'whenUnsatisfiable');
    return [
      ...(skew > 0 ? [] : [invalid(`${at}.maxSkew`, skew, 'must be greater than zero')]),
      ...(textAt(constraint, 'topologyKey') === '' ? [required(`${at}.topologyKey`, 'can not be empty')] : []),
      ...((unsatisfiable as readonly string[]).includes(action)
        ? []
        : [notSupported(`${at}.whenUnsatisfiable`, action, unsatisfiable)]),
      ...selectorErrors(constraint['labelSelector'], `${at}.labelSelector`),
    ];
  });
}
