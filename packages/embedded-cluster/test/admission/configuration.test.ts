import { describe, expect, test } from 'vitest';
import { formatFieldError } from '../../../base/src/field-errors.ts';
import {
  mutatingWebhookConfigurationStrategy,
  validatingWebhookConfigurationStrategy,
} from '../../src/admission/webhooks/webhook-configuration-strategy.ts';
import type { Strategy, StrategyContext } from '../../src/kinds/strategy.ts';
import type { JsonObject, KubeObject } from '../../src/objects.ts';
import { VirtualClock } from '../../src/time/virtual-clock.ts';
import { aWebhook, everyPod } from './world.ts';

const context: StrategyContext = { clock: new VirtualClock(), lookup: () => undefined };

function configuration(webhooks: readonly JsonObject[], name = 'c'): KubeObject {
  return { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'X', metadata: { name }, webhooks };
}

const hook = (more: JsonObject = {}) => aWebhook('w.example.com', 'https://127.0.0.1:8443/x', '', more);
const url = (text: string) => hook({ clientConfig: { url: text } });
const service = (more: JsonObject) => hook({ clientConfig: { service: { name: 'a', namespace: 'b', ...more } } });
const withRule = (more: JsonObject) => hook({ rules: [{ ...everyPod, ...more }] });
const condition = (expression: string, name = 'c') => hook({ matchConditions: [{ name, expression }] });

function errorsOf(strategy: Strategy, ...webhooks: readonly JsonObject[]): readonly string[] {
  const draft = structuredClone(configuration(webhooks));
  strategy.applyDefaults?.(draft);
  return (strategy.validate?.(draft, context) ?? []).map(formatFieldError);
}

describe('defaults of a webhook', () => {
  const bare = { name: 'w.example.com', clientConfig: { service: { name: 'a', namespace: 'b' } }, rules: [everyPod] };
  const common = {
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
    rules: [{ ...everyPod, scope: '*' }],
    clientConfig: { service: { name: 'a', namespace: 'b', port: 443 } },
  };

  test.each([
    ['validating', validatingWebhookConfigurationStrategy, common],
    ['mutating', mutatingWebhookConfigurationStrategy, { ...common, reinvocationPolicy: 'Never' }],
  ])('are those of a %s one', (_name, strategy, filled) => {
    const draft = structuredClone(configuration([bare]));
    strategy.applyDefaults?.(draft);
    expect(draft['webhooks']).toEqual([{ name: 'w.example.com', ...filled }]);
  });

  test('leave what is there', () => {
    const given = hook({
      failurePolicy: 'Ignore',
      timeoutSeconds: 1,
      matchPolicy: 'Exact',
      objectSelector: { matchLabels: {} },
    });
    const draft = structuredClone(configuration([given]));
    validatingWebhookConfigurationStrategy.applyDefaults?.(draft);
    expect(draft['webhooks']).toMatchObject([given]);
  });
});

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const cases: readonly [name: string, webhooks: readonly JsonObject[], errors: readonly string[]][] = [
  ['a complete one', [hook()], []],
  ['no name', [hook({ name: '' })], ['webhooks[0].name: Required value']],
  [
    'a short name',
    [hook({ name: 'w.local' })],
    ['webhooks[0].name: Invalid value: "w.local": should be a domain with at least three segments separated by dots'],
  ],
  ['a wrong name', [hook({ name: 'W.a.b' })], [`webhooks[0].name: Invalid value: "W.a.b": ${subdomain}`]],
  ['a name twice', [hook(), hook()], ['webhooks[1].name: Duplicate value: "w.example.com"']],
  [
    'no side effects',
    [hook({ sideEffects: undefined })],
    ['webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun'],
  ],
  [
    'side effects',
    [hook({ sideEffects: 'Some' })],
    ['webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'],
  ],
  [
    'no review versions',
    [hook({ admissionReviewVersions: [] })],
    ['webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1'],
  ],
  [
    'unknown review versions',
    [hook({ admissionReviewVersions: ['v2'] })],
    ['webhooks[0].admissionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1'],
  ],
  [
    'a review version twice',
    [hook({ admissionReviewVersions: ['v1', 'v1'] })],
    ['webhooks[0].admissionReviewVersions[1]: Invalid value: "v1": duplicate version'],
  ],
  [
    'a policy that does not exist',
    [hook({ failurePolicy: 'Maybe', matchPolicy: 'Fuzzy' })],
    [
      'webhooks[0].failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"',
      'webhooks[0].matchPolicy: Unsupported value: "Fuzzy": supported values: "Equivalent", "Exact"',
    ],
  ],
  [
    'a long timeout',
    [hook({ timeoutSeconds: 31 })],
    ['webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds'],
  ],
  [
    'neither URL nor service',
    [hook({ clientConfig: {} })],
    ['webhooks[0].clientConfig: Required value: exactly one of url or service is required'],
  ],
  [
    'both URL and service',
    [hook({ clientConfig: { url: 'https://a', service: { name: 'a', namespace: 'b' } } })],
    ['webhooks[0].clientConfig: Required value: exactly one of url or service is required'],
  ],
  [
    'plain HTTP',
    [url('http://a/x')],
    [
      'webhooks[0].clientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
    ],
  ],
  [
    'a host that cannot be',
    [url('http://a b')],
    [
      'webhooks[0].clientConfig.url: Required value: url must be a valid URL: parse "http://a b": invalid character " " in host name; desired format: https://host[/path]',
    ],
  ],
  [
    'a service without a namespace, in the real server’s words',
    [service({ namespace: '' })],
    ['webhooks[0].clientConfig.service.name: Required value'],
  ],
  [
    'no host',
    [url('https:///x')],
    ['webhooks[0].clientConfig.url: Invalid value: "": host must be specified; desired format: https://host[/path]'],
  ],
  [
    'more than a host and a path in the URL',
    [url('https://me:secret@a/x?q=1#f')],
    [
      'webhooks[0].clientConfig.url: Invalid value: "me:secret": user information is not permitted in the URL',
      'webhooks[0].clientConfig.url: Invalid value: "f": fragments are not permitted in the URL',
      'webhooks[0].clientConfig.url: Invalid value: "q=1": query parameters are not permitted in the URL',
    ],
  ],
  [
    'a port out of range',
    [service({ port: 70_000 })],
    [
      'webhooks[0].clientConfig.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive',
    ],
  ],
  [
    'a path that does not start at the root',
    [service({ path: 'xa' })],
    ['webhooks[0].clientConfig.service.path: Invalid value: "xa": must start with a \'/\''],
  ],
  [
    'an empty step in the path',
    [service({ path: '/a//b/' })],
    ['webhooks[0].clientConfig.service.path: Invalid value: "/a//b/": segment[1] may not be empty'],
  ],
  [
    'empty rules',
    [hook({ rules: [{}] })],
    [
      'webhooks[0].rules[0].operations: Required value',
      'webhooks[0].rules[0].apiGroups: Required value',
      'webhooks[0].rules[0].apiVersions: Required value',
      'webhooks[0].rules[0].resources: Required value',
    ],
  ],
  [
    'an operation that does not exist',
    [withRule({ operations: ['READ'] })],
    [
      'webhooks[0].rules[0].operations[0]: Unsupported value: "READ": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
    ],
  ],
  [
    'more besides a wildcard',
    [withRule({ apiGroups: ['*', 'apps'], operations: ['*', 'CREATE'], apiVersions: ['v1', '*'] })],
    [
      'webhooks[0].rules[0].operations: Invalid value: ["*","CREATE"]: if \'*\' is present, must not specify other operations',
      'webhooks[0].rules[0].apiGroups: Invalid value: ["*","apps"]: if \'*\' is present, must not specify other API groups',
      'webhooks[0].rules[0].apiVersions: Invalid value: ["v1","*"]: if \'*\' is present, must not specify other API versions',
    ],
  ],
  [
    'resources that a wildcard covers',
    [withRule({ resources: ['pods/*', 'pods/status', '*', 'nodes'] })],
    [
      'webhooks[0].rules[0].resources[1]: Invalid value: "pods/status": if \'pods/*\' is present, must not specify pods/status',
      'webhooks[0].rules[0].resources: Invalid value: ["pods/*","pods/status","*","nodes"]: if \'*\' is present, must not specify other resources without subresources',
    ],
  ],
  [
    'everything and more',
    [withRule({ resources: ['*/*', 'pods'] })],
    [
      'webhooks[0].rules[0].resources: Invalid value: ["*/*","pods"]: if \'*/*\' is present, must not specify other resources',
    ],
  ],
  [
    'a scope that does not exist',
    [withRule({ scope: 'Galaxy' })],
    ['webhooks[0].rules[0].scope: Unsupported value: "Galaxy": supported values: "*", "Cluster", "Namespaced"'],
  ],
  [
    'a selector without values',
    [hook({ namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } })],
    [
      "webhooks[0].namespaceSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    ],
  ],
  [
    'conditions without name or expression',
    [condition('  ', '')],
    [
      'webhooks[0].matchConditions[0].expression: Required value',
      'webhooks[0].matchConditions[0].name: Required value',
    ],
  ],
  [
    'conditions of one name',
    [
      hook({
        matchConditions: [
          { name: 'a', expression: 'true' },
          { name: 'a', expression: 'true' },
        ],
      }),
    ],
    ['webhooks[0].matchConditions[1].name: Duplicate value: "a"'],
  ],
  [
    'a condition that is no question',
    [condition('"text"')],
    ['webhooks[0].matchConditions[0].expression: Invalid value: "\\"text\\"": must evaluate to bool but got string'],
  ],
];

describe('a configuration with', () => {
  test.each(cases)('%s', (_name, webhooks, errors) => {
    expect(errorsOf(validatingWebhookConfigurationStrategy, ...webhooks)).toEqual(errors);
    expect(errorsOf(mutatingWebhookConfigurationStrategy, ...webhooks)).toEqual(errors);
  });

  test('a condition that does not compile', () => {
    const [error] = errorsOf(validatingWebhookConfigurationStrategy, condition('object.'));
    expect(error).toMatch(
      /^webhooks\[0\]\.matchConditions\[0\]\.expression: Invalid value: "object\.": compilation failed: /,
    );
  });

  test('too many conditions', () => {
    const matchConditions = Array.from({ length: 65 }, (_, index) => ({ name: `c${index}`, expression: 'true' }));
    expect(errorsOf(validatingWebhookConfigurationStrategy, hook({ matchConditions }))).toEqual([
      'webhooks[0].matchConditions: Too many: 65: must have at most 64 items',
    ]);
  });

  test('a reinvocation policy that does not exist', () => {
    expect(errorsOf(mutatingWebhookConfigurationStrategy, hook({ reinvocationPolicy: 'Often' }))).toEqual([
      'webhooks[0].reinvocationPolicy: Unsupported value: "Often": supported values: "IfNeeded", "Never"',
    ]);
  });

  test('a reserved name is refused when new, and warned about later', () => {
    const { validate, warnings } = validatingWebhookConfigurationStrategy;
    const reserved = configuration([hook()], 'x.static.k8s.io');
    expect(validate?.(reserved, context)).toMatchObject([{ field: 'metadata.name', type: 'FieldValueInvalid' }]);
    expect(warnings?.(reserved, undefined)).toEqual([]);
    expect(warnings?.(reserved, reserved)).toHaveLength(1);
  });

  test('a rule for what is never sent to webhooks earns a warning', () => {
    const rules = [{ ...everyPod, apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'] }];
    expect(validatingWebhookConfigurationStrategy.warnings?.(configuration([hook({ rules })]), undefined)).toEqual([
      'webhooks[0].rules[0]: subjectaccessreviews.authorization.k8s.io is excluded from admission webhooks; this rule will have no effect',
    ]);
  });
});
