import { type FieldError, invalid, notSupported, required } from '@holdfast/base/field-errors';
import { compileCel } from '../../cel/cel.ts';
import { duplicate } from '../../kinds/builtin/checks/field-checks.ts';
import { selectorErrors } from '../../kinds/builtin/checks/labels.ts';
import { fillIn, isThere, objectAt, objectsAt, specOf, textAt, textsAt } from '../../kinds/builtin/checks/read.ts';
import { emptyStatus } from '../../kinds/builtin/workloads/workload-checks.ts';
import type { Strategy } from '../../kinds/strategy.ts';
import type { JsonObject, KubeObject } from '../../objects.ts';
import { webhookRuleErrors } from '../webhooks/rule-validation.ts';
import { policyVariables } from './policy.ts';

export function fillInMatch(match: JsonObject | undefined): void {
  if (match === undefined) return;
  fillIn(match, 'matchPolicy', 'Equivalent');
  fillIn(match, 'namespaceSelector', {});
  fillIn(match, 'objectSelector', {});
  for (const key of ['resourceRules', 'excludeResourceRules']) {
    for (const rule of objectsAt(match, key)) fillIn(rule, 'scope', '*');
  }
}

export function matchErrors(match: JsonObject, path: string): readonly FieldError[] {
  return [
    ...['resourceRules', 'excludeResourceRules'].flatMap((key) =>
      objectsAt(match, key).flatMap((rule, index) => webhookRuleErrors(rule, `${path}.${key}[${index}]`)),
    ),
    ...choiceErrors(match, 'matchPolicy', path, ['Equivalent', 'Exact']),
    ...selectorErrors(match['namespaceSelector'], `${path}.namespaceSelector`),
    ...selectorErrors(match['objectSelector'], `${path}.objectSelector`),
  ];
}

export function choiceErrors(parent: JsonObject, key: string, path: string, supported: readonly string[]) {
  if (!isThere(parent[key]) || supported.includes(textAt(parent, key))) return [];
  return [notSupported(`${path}.${key}`, parent[key], supported)];
}

function policyErrors(policy: KubeObject): readonly FieldError[] {
  const spec = specOf(policy);
  const constraints = objectAt(spec, 'matchConstraints');
  return [
    ...choiceErrors(spec, 'failurePolicy', 'spec', ['Fail', 'Ignore']),
    ...(constraints === undefined ? [required('spec.matchConstraints', '')] : constraintErrors(constraints)),
    ...expressionErrors(spec),
    ...(objectsAt(spec, 'validations').length + objectsAt(spec, 'auditAnnotations').length === 0
      ? ['validations', 'auditAnnotations'].map((list) =>
          required(`spec.${list}`, 'validations or auditAnnotations must contain at least one item'),
        )
      : []),
  ];
}

export function constraintErrors(constraints: JsonObject): readonly FieldError[] {
  const path = 'spec.matchConstraints';
  const empty = objectsAt(constraints, 'resourceRules').length === 0;
  return [...(empty ? [required(`${path}.resourceRules`, '')] : []), ...matchErrors(constraints, path)];
}

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];

/** Everything that is written in CEL: what cannot be compiled, and what is called alike. */
function expressionErrors(spec: JsonObject): readonly FieldError[] {
  const check = checkIn(spec, compileCel);
  return [
    ...namedErrors(spec, check),
    ...objectsAt(spec, 'validations').flatMap((validation, index) => {
      const path = `spec.validations[${index}]`;
      return [
        ...check(validation, 'expression', path),
        ...(textAt(validation, 'messageExpression') === '' ? [] : check(validation, 'messageExpression', path)),
        ...choiceErrors(validation, 'reason', path, reasons),
      ];
    }),
  ];
}

type CheckExpression = (parent: JsonObject, key: string, path: string) => readonly FieldError[];

/** Expressions may name parameters where the policy says of which kind they are. */
export function checkIn(spec: JsonObject, compile: typeof compileCel): CheckExpression {
  const variables = policyVariables(objectAt(spec, 'paramKind') !== undefined);
  return (parent, key, path) => {
    const expression = textAt(parent, key);
    if (expression.trim() === '') return [required(`${path}.${key}`, `${key} is not specified`)];
    const compiled = compile(expression, variables);
    return compiled.ok ? [] : [invalid(`${path}.${key}`, expression, compiled.message)];
  };
}

/** Conditions and variables. */
export function namedErrors(spec: JsonObject, check: CheckExpression): readonly FieldError[] {
  return ['matchConditions', 'variables'].flatMap((list) =>
    objectsAt(spec, list).flatMap((one, index) => {
      const path = `spec.${list}[${index}]`;
      const name = textAt(one, 'name');
      const first = objectsAt(spec, list).findIndex((other) => textAt(other, 'name') === name) === index;
      const repeated = !first && list === 'matchConditions';
      const naming = name === '' ? [required(`${path}.name`, '')] : repeated ? [duplicate(`${path}.name`, name)] : [];
      return [...naming, ...check(one, 'expression', path)];
    }),
  );
}

/** What a policy says by saying nothing, whether it validates or mutates. */
export function fillInPolicy(policy: KubeObject): void {
  const spec = objectAt(policy, 'spec');
  if (spec === undefined) return;
  fillIn(spec, 'failurePolicy', 'Fail');
  fillInMatch(objectAt(spec, 'matchConstraints'));
}

/** Expressions are compiled when a policy is written; what they get wrong about types is said in its status, and refuses nothing. */
export const policyStrategy: Strategy = {
  requiresResourceVersion: true,
  applyDefaults: fillInPolicy,
  prepareForCreate: emptyStatus,
  validate: policyErrors,
};

const actions = ['Audit', 'Deny', 'Warn'];

function bindingErrors(binding: KubeObject): readonly FieldError[] {
  const spec = specOf(binding);
  const chosen = textsAt(spec, 'validationActions');
  const match = objectAt(spec, 'matchResources');
  return [
    ...(textAt(spec, 'policyName') === '' ? [required('spec.policyName', '')] : []),
    ...(chosen.length === 0 ? [required('spec.validationActions', '')] : []),
    ...chosen.flatMap((action, index) =>
      actions.includes(action) ? [] : [notSupported(`spec.validationActions[${index}]`, action, actions)],
    ),
    ...(chosen.includes('Deny') && chosen.includes('Warn')
      ? [
          invalid(
            'spec.validationActions',
            chosen,
            'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
          ),
        ]
      : []),
    ...(match === undefined ? [] : matchErrors(match, 'spec.matchResources')),
  ];
}

export const policyBindingStrategy: Strategy = {
  requiresResourceVersion: true,
  applyDefaults: (binding) => fillInMatch(objectAt(objectAt(binding, 'spec'), 'matchResources')),
  validate: bindingErrors,
};
