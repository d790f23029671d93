import { type FieldError, forbidden, invalid, required } from '@holdfast/base/field-errors';
import type { JsonObject } from '../../../objects.ts';
import { isJsonObject } from '../../../schema/json-values.ts';
import { listAt, objectAt, objectsAt, pairsAt, textAt } from './read.ts';
import { labelKeyProblems, labelValueProblems } from './syntax.ts';

export function labelErrors(parent: JsonObject | undefined, key: string, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, value] of pairsAt(parent, key)) {
    for (const problem of labelKeyProblems(name)) errors.push(invalid(path, name, problem));
    for (const problem of labelValueProblems(value)) errors.push(invalid(path, value, problem));
  }
  return errors;
}

export function labelNameErrors(name: string, path: string): readonly FieldError[] {
  return labelKeyProblems(name).map((problem) => invalid(path, name, problem));
}

/** A LabelSelector; none at all has no errors. */
export function selectorErrors(selector: unknown, path: string): readonly FieldError[] {
  if (!isJsonObject(selector)) return [];
  return [
    ...labelErrors(selector, 'matchLabels', `${path}.matchLabels`),
    ...objectsAt(selector, 'matchExpressions').flatMap((expression, index) =>
      requirementErrors(expression, `${path}.matchExpressions[${index}]`),
    ),
  ];
}

function requirementErrors(expression: JsonObject, path: string): readonly FieldError[] {
  const values = listAt(expression, 'values');
  return [
    ...operatorErrors(textAt(expression, 'operator'), values.length, path),
    ...labelNameErrors(textAt(expression, 'key'), `${path}.key`),
    ...labelValuesErrors(values, `${path}.values`),
  ];
}

export function labelValuesErrors(values: readonly unknown[], path: string): readonly FieldError[] {
  return values.flatMap((value, index) =>
    typeof value === 'string'
      ? labelValueProblems(value).map((problem) => invalid(`${path}[${index}]`, value, problem))
      : [],
  );
}

function operatorErrors(operator: string, values: number, path: string): readonly FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values > 0 ? [] : [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (values === 0) return [];
      return [forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return [invalid(`${path}.operator`, operator, 'not a valid selector operator')];
  }
}

export function isEmptySelector(selector: JsonObject): boolean {
  const labels = objectAt(selector, 'matchLabels');
  const hasLabels = labels !== undefined && Object.keys(labels).length > 0;
  return !hasLabels && listAt(selector, 'matchExpressions').length === 0;
}
