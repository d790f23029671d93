import { describe, expect, it, test } from 'vitest';
import { evictionWebhooks, mayReach } from '../../../src/observe/foreign-webhooks/foreign.ts';
import { isKruiseForPubs } from '../../../src/observe/foreign-webhooks/kruise.ts';
import { projectConfiguration } from '../../../src/observe/foreign-webhooks/webhook-view.ts';

const evictions = [
  { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods/eviction'], scope: '*' },
];
const budgets = [
  {
    operations: ['CREATE', 'UPDATE'],
    apiGroups: ['policy.kruise.io'],
    apiVersions: ['v1alpha1'],
    resources: ['podunavailablebudgets'],
  },
];

function configuration(webhook: object, name = 'policies') {
  return projectConfiguration({ metadata: { name, resourceVersion: '1' }, webhooks: [{ name: 'w', ...webhook }] });
}

describe('a webhook of another program', () => {
  const found = (webhook: object) => evictionWebhooks('ValidatingWebhookConfiguration', configuration(webhook));

  it('is named with its configuration', () => {
    expect(found({ rules: evictions }).map(({ title }) => title)).toEqual([
      'w of ValidatingWebhookConfiguration policies',
    ]);
  });

  test.each([
    ['whatever its failure policy', { failurePolicy: 'Ignore' }],
    ['whatever objects it selects', { objectSelector: { matchLabels: { app: 'db' } } }],
    ['whatever its conditions', { matchConditions: [{ name: 'never', expression: 'false' }] }],
  ])('counts %s', (_, more) => {
    expect(found({ rules: evictions, ...more })).toHaveLength(1);
  });

  it('does not count when it is about something else', () => {
    expect(found({ rules: budgets })).toEqual([]);
    expect(found({})).toEqual([]);
  });

  const team = { matchExpressions: [{ key: 'team', operator: 'In', values: ['a'] }] };
  const reaching: readonly (readonly [string, object, Record<string, string> | undefined, boolean])[] = [
    ['without a selector: every namespace', {}, {}, true],
    ['with an empty selector: every namespace', { namespaceSelector: {} }, {}, true],
    ['with a selector that matches', { namespaceSelector: team }, { team: 'a' }, true],
    ['with a selector that does not match', { namespaceSelector: team }, { team: 'b' }, false],
    ['with a selector, and unknown labels', { namespaceSelector: team }, undefined, true],
    [
      'with a selector that cannot be read',
      { namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'Like', values: ['a'] }] } },
      { team: 'b' },
      true,
    ],
  ];
  test.each(reaching)('may be asked %s', (_, more, labels, expected) => {
    expect(found({ rules: evictions, ...more }).map((one) => mayReach(one, labels))).toEqual([expected]);
  });
});

describe('whether PodUnavailableBudgets are left to Kruise', () => {
  const service = (name: string, path: string) => ({ clientConfig: { service: { name, namespace: 'x', path } } });
  const path = '/validate-policy-kruise-io-podunavailablebudget';
  const cases: readonly (readonly [string, object, string, boolean])[] = [
    ['by the name of its webhook', { name: 'vpodunavailablebudget.kb.io' }, 'any', true],
    ['by the path of its service', service('hooks', path), 'any', true],
    ['by the path of its address', { clientConfig: { url: `https://10.0.0.1:9876${path}` } }, 'any', true],
    ['by the name of its service', { rules: budgets, ...service('kruise-webhook-service', '/x') }, 'any', true],
    ['by the name of its configuration', { rules: budgets }, 'kruise-validating-webhook-configuration', true],
    [
      'Kruise without PodUnavailableBudgets',
      { name: 'vpod.kb.io', rules: evictions, ...service('kruise-webhook-service', '/validate-pod') },
      'kruise-validating-webhook-configuration',
      false,
    ],
    [
      'a policy engine with a rule for them',
      { rules: budgets, ...service('kyverno-svc', '/validate/fail') },
      'kyverno-resource-validating-webhook-cfg',
      false,
    ],
    [
      'a rule for everything',
      {
        rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }],
        ...service('not-kruise', '/'),
      },
      'all',
      false,
    ],
  ];
  test.each(cases)('%s', (_, webhook, name, expected) => {
    expect(isKruiseForPubs(configuration(webhook, name))).toBe(expected);
  });
});

describe('what is kept of a configuration', () => {
  it('does not depend on whom it trusts, only on whether it says so', () => {
    const of = (clientConfig: object) => configuration({ clientConfig }).webhooks;
    expect(of({ caBundle: 'YQ==' })).toEqual(of({ caBundle: 'Yg==' }));
    expect(of({ caBundle: 'YQ==' })).not.toEqual(of({}));
    expect(of({ caBundle: '' })).toEqual(of({}));
  });

  it('has what the API server assumes where nothing is said', () => {
    expect(configuration({ rules: [{ operations: ['CREATE'] }] }).webhooks).toEqual([
      {
        name: 'w',
        rules: [{ operations: ['CREATE'], apiGroups: [], apiVersions: [], resources: [], scope: '*' }],
        failurePolicy: 'Fail',
        namespaces: [],
        selectsObjects: false,
        hasTrust: false,
        service: '',
        path: '',
      },
    ]);
  });

  it('is nothing that can be used without a name', () => {
    expect(() => projectConfiguration({ metadata: {} })).toThrow('has a name');
    expect(projectConfiguration({ metadata: { name: 'empty' } }).webhooks).toEqual([]);
  });
});
