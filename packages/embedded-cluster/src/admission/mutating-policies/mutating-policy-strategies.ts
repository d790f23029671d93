import { type FieldError, invalid, notSupported, required } from '@holdfast/base/field-errors';
import { compileMutation } from '../../cel/cel.ts';
import { objectAt, objectsAt, specOf, textAt, textsAt } from '../../kinds/builtin/checks/read.ts';
import type { Strategy } from '../../kinds/strategy.ts';
import type { JsonObject, KubeObject } from '../../objects.ts';
import {
  checkIn,
  choiceErrors,
  constraintErrors,
  fillInMatch,
  fillInPolicy,
  matchErrors,
  namedErrors,
} from '../policies/policy-strategies.ts';

const patchTypes = {
  ApplyConfiguration: { field: 'applyConfiguration', other: 'jsonPatch' },
  JSONPatch: { field: 'jsonPatch', other: 'applyConfiguration' },
} as const;

function policyErrors(policy: KubeObject): readonly FieldError[] {
  const spec = specOf(policy);
  const constraints = objectAt(spec, 'matchConstraints');
  const mutations = objectsAt(spec, 'mutations');
  return [
    ...choiceErrors(spec, 'failurePolicy', 'spec', ['Fail', 'Ignore']),
    ...(constraints === undefined
      ? [required('spec.matchConstraints', '')]
      : [...constraintErrors(constraints), ...operationErrors(constraints, 'spec.matchConstraints')]),
    ...namedErrors(spec, checkIn(spec, compileMutation)),
    ...(mutations.length === 0 ? [required('spec.mutations', 'mutations must contain at least one item')] : []),
    ...mutations.flatMap((mutation, index) => mutationErrors(mutation, spec, `spec.mutations[${index}]`)),
    ...(textAt(spec, 'reinvocationPolicy') === ''
      ? [required('spec.reinvocationPolicy', '')]
      : choiceErrors(spec, 'reinvocationPolicy', 'spec', ['IfNeeded', 'Never'])),
  ];
}

const operations = ['*', 'CREATE', 'UPDATE'];

/** Only what comes with an object can be changed. */
function operationErrors(match: JsonObject, path: string): readonly FieldError[] {
  return objectsAt(match, 'resourceRules')
    .flatMap((rule) => textsAt(rule, 'operations'))
    .filter((operation) => !operations.includes(operation))
    .map((operation) => notSupported(`${path}.resourceRules.operations`, operation, operations));
}

function mutationErrors(mutation: JsonObject, spec: JsonObject, path: string): readonly FieldError[] {
  const type = textAt(mutation, 'patchType');
  if (type === '') return [required(`${path}.patchType`, '')];
  if (type !== 'ApplyConfiguration' && type !== 'JSONPatch') {
    return [notSupported(`${path}.patchType`, type, Object.keys(patchTypes))];
  }
  const { field, other } = patchTypes[type];
  const own = objectAt(mutation, field);
  const check = checkIn(spec, compileMutation);
  return [
    ...(own === undefined
      ? [required(`${path}.${field}`, `must be specified when patchType is ${type}`)]
      : check(own, 'expression', `${path}.${field}`)),
    ...(objectAt(mutation, other) === undefined
      ? []
      : [invalid(`${path}.${other}`, `{${other}}`, `must not be specified when patchType is ${type}`)]),
  ];
}

export const mutatingPolicyStrategy: Strategy = {
  requiresResourceVersion: true,
  applyDefaults: fillInPolicy,
  validate: policyErrors,
};

export const mutatingPolicyBindingStrategy: Strategy = {
  requiresResourceVersion: true,
  applyDefaults: (binding) => fillInMatch(objectAt(objectAt(binding, 'spec'), 'matchResources')),
  validate(binding) {
    const spec = specOf(binding);
    const match = objectAt(spec, 'matchResources');
    return [
      ...(textAt(spec, 'policyName') === '' ? [required('spec.policyName', '')] : []),
      ...(match === undefined
        ? []
        : [...matchErrors(match, 'spec.matchResources'), ...operationErrors(match, 'spec.matchResources')]),
    ];
  },
};
