import { describe, expect, it } from 'vitest';
import { formatFieldError } from '../../../base/src/field-errors.ts';
import { evaluatePolicy } from '../../src/admission/policies/evaluate.ts';
import { compilePolicy } from '../../src/admission/policies/policy.ts';
import { policyBindingStrategy, policyStrategy } from '../../src/admission/policies/policy-strategies.ts';
import type { KubeObject } from '../../src/objects.ts';
import { context } from '../kinds-builtin/support.ts';

const object = (spec: object): KubeObject => ({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, spec });
const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['unheards'] }];
const matchConstraints = { resourceRules: rules };
const validations = [{ expression: 'true' }];

const none = 'validations or auditAnnotations must contain at least one item';

/** What kube-apiserver 1.37.1 answered. */
describe('a policy is refused as the real API server does', () => {
  it.each([
    { spec: { validations }, errors: ['spec.matchConstraints: Required value'] },
    { spec: { matchConstraints: {}, validations }, errors: ['spec.matchConstraints.resourceRules: Required value'] },
    {
      spec: { matchConstraints },
      errors: [`spec.validations: Required value: ${none}`, `spec.auditAnnotations: Required value: ${none}`],
    },
    {
      spec: { matchConstraints, validations: [{ expression: ' ' }] },
      errors: ['spec.validations[0].expression: Required value: expression is not specified'],
    },
    {
      spec: { matchConstraints, validations: [{ expression: 'true', reason: 'Foo' }] },
      errors: [
        'spec.validations[0].reason: Unsupported value: "Foo": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
      ],
    },
    {
      spec: { matchConstraints, validations, failurePolicy: 'Foo' },
      errors: ['spec.failurePolicy: Unsupported value: "Foo": supported values: "Fail", "Ignore"'],
    },
    {
      spec: { matchConstraints, validations, variables: ['1', '2'].map((expression) => ({ name: 'a', expression })) },
      errors: [],
    },
  ])('$spec: $errors', ({ spec, errors }) => {
    expect(policyStrategy.validate?.(object(spec), context).map(formatFieldError)).toEqual(errors);
  });

  it.each([
    { spec: { validationActions: ['Deny'] }, errors: ['spec.policyName: Required value'] },
    { spec: { policyName: 'p' }, errors: ['spec.validationActions: Required value'] },
    {
      spec: { policyName: 'p', validationActions: ['Foo'] },
      errors: ['spec.validationActions[0]: Unsupported value: "Foo": supported values: "Audit", "Deny", "Warn"'],
    },
    {
      spec: { policyName: 'p', validationActions: ['Deny', 'Warn'] },
      errors: [
        'spec.validationActions: Invalid value: ["Deny","Warn"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
      ],
    },
  ])('and a binding, $spec: $errors', ({ spec, errors }) => {
    expect(policyBindingStrategy.validate?.(object(spec), context).map(formatFieldError)).toEqual(errors);
  });

  it('gets its defaults', () => {
    const policy = object({ matchConstraints: { resourceRules: [{ ...rules[0] }] }, validations });
    policyStrategy.applyDefaults?.(policy);
    expect(policy['spec']).toMatchObject({
      failurePolicy: 'Fail',
      matchConstraints: {
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        resourceRules: [{ scope: '*' }],
      },
    });
  });
});

describe('what a policy says', () => {
  const judged = (spec: object, x = 1) =>
    evaluatePolicy(compilePolicy(object(spec)), { object: { x }, oldObject: null });
  it.each([
    { spec: { validations: [{ expression: 'object.x == 1' }] }, want: [] },
    {
      spec: {
        validations: [
          { expression: 'object.x == 2' },
          { expression: 'object.x == 3', reason: 'Forbidden', message: 'm' },
        ],
      },
      want: [
        { message: 'failed expression: object.x == 2', reason: 'Invalid' },
        { message: 'm', reason: 'Forbidden' },
      ],
    },
    {
      spec: {
        validations: [{ expression: 'false', message: 'plain', messageExpression: "'got ' + string(object.x)" }],
      },
      want: [{ message: 'got 1', reason: 'Invalid' }],
    },
    {
      spec: { validations: [{ expression: 'false', message: 'plain', messageExpression: "object.y + 'a'" }] },
      want: [{ message: 'plain', reason: 'Invalid' }],
    },
    {
      spec: { matchConditions: [{ name: 'c', expression: 'object.x == 2' }], validations: [{ expression: 'false' }] },
      want: [],
    },
    { spec: { failurePolicy: 'Ignore', validations: [{ expression: 'object.y == 1' }] }, want: [] },
    {
      spec: { validations: [{ expression: 'object.x' }] },
      want: [{ message: "expression 'object.x' resulted in error: must evaluate to bool", reason: 'Invalid' }],
    },
    {
      spec: {
        variables: [
          { name: 'a', expression: 'object.x + 1' },
          { name: 'b', expression: 'variables.a * 2' },
        ],
        validations: [{ expression: 'variables.b == 4' }],
      },
      want: [],
    },
  ])('$spec: $want', ({ spec, want }) => {
    expect(judged(spec)).toEqual(want);
  });
});
