import { type FieldError, failed, invalid, notSupported, type Parsed, parsed, required } from '../field-errors.ts';
import { isObject, isUnset } from '../json.ts';
import type { StringMap } from '../meta.ts';
import { labelKeyProblem, labelValueProblem } from './label-syntax.ts';

export type Requirement =
  | { readonly op: 'In' | 'NotIn'; readonly key: string; readonly values: readonly string[] }
  | { readonly op: 'Exists' | 'DoesNotExist'; readonly key: string };

/** A parsed selector: all requirements hold. No requirement at all selects everything. */
export type Selector = readonly Requirement[];

export const selectEverything: Selector = [];

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;

/** Reads a LabelSelector out of unchecked JSON. */
export function parseSelector(source: unknown, field: string): Parsed<Selector> {
  if (!isObject(source)) return failed(invalid(field, source, 'must be an object'));
  const labels = parseMatchLabels(source['matchLabels'], `${field}.matchLabels`);
  const expressions = parseMatchExpressions(source['matchExpressions'], `${field}.matchExpressions`);
  if (labels.ok && expressions.ok) return parsed([...labels.value, ...expressions.value]);
  return failed(...[labels, expressions].flatMap((result) => (result.ok ? [] : result.errors)));
}

function parseMatchLabels(source: unknown, field: string): Parsed<Selector> {
  if (isUnset(source)) return parsed([]);
  if (!isObject(source)) return failed(invalid(field, source, 'must be an object'));
  const errors: FieldError[] = [];
  const requirements: Requirement[] = [];
  for (const [key, value] of Object.entries(source)) {
    errors.push(...keyErrors(key, field), ...valueErrors(value, `${field}[${key}]`));
    if (typeof value === 'string') requirements.push({ op: 'In', key, values: [value] });
  }
  return errors.length > 0 ? failed(...errors) : parsed(requirements);
}

function parseMatchExpressions(source: unknown, field: string): Parsed<Selector> {
  if (isUnset(source)) return parsed([]);
  if (!Array.isArray(source)) return failed(invalid(field, source, 'must be a list'));
  const errors: FieldError[] = [];
  const requirements: Requirement[] = [];
  for (const [index, expression] of source.entries()) {
    const result = parseRequirement(expression, `${field}[${index}]`);
    if (result.ok) requirements.push(result.value);
    else errors.push(...result.errors);
  }
  return errors.length > 0 ? failed(...errors) : parsed(requirements);
}

function parseRequirement(source: unknown, field: string): Parsed<Requirement> {
  if (!isObject(source)) return failed(invalid(field, source, 'must be an object'));
  const { key, operator } = source;
  const values = source['values'] ?? [];
  const errors = keyErrors(key, `${field}.key`);
  if (!isOperator(operator)) errors.push(notSupported(`${field}.operator`, operator, operators));
  else errors.push(...operandErrors(operator, values, `${field}.values`));
  if (errors.length > 0 || typeof key !== 'string' || !isOperator(operator)) return failed(...errors);
  if (operator === 'Exists' || operator === 'DoesNotExist') return parsed({ op: operator, key });
  // Safe: operandErrors saw a list of strings.
  return parsed({ op: operator, key, values: values as readonly string[] });
}

function isOperator(word: unknown): word is Requirement['op'] {
  return (operators as readonly unknown[]).includes(word);
}

function operandErrors(operator: Requirement['op'], values: unknown, field: string): readonly FieldError[] {
  if (!Array.isArray(values)) return [invalid(field, values, 'must be a list')];
  if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length === 0) return [];
    return [invalid(field, values, 'may not be specified when `operator` is Exists or DoesNotExist')];
  }
  if (values.length === 0) return [required(field, 'must be specified when `operator` is In or NotIn')];
  return values.flatMap((value, index) => valueErrors(value, `${field}[${index}]`));
}

function keyErrors(key: unknown, field: string): FieldError[] {
  const problem = labelKeyProblem(key);
  return problem === undefined ? [] : [invalid(field, key, problem)];
}

function valueErrors(value: unknown, field: string): FieldError[] {
  const problem = labelValueProblem(value);
  return problem === undefined ? [] : [invalid(field, value, problem)];
}

export function matches(selector: Selector, labels: StringMap): boolean {
  for (const requirement of selector) {
    if (!meets(requirement, labels)) return false;
  }
  return true;
}

function meets(requirement: Requirement, labels: StringMap): boolean {
  const has = Object.hasOwn(labels, requirement.key);
  switch (requirement.op) {
    case 'Exists':
      return has;
    case 'DoesNotExist':
      return !has;
    case 'In':
      return has && requirement.values.includes(labels[requirement.key] as string);
    case 'NotIn':
      return !has || !requirement.values.includes(labels[requirement.key] as string);
  }
}
