import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AdmissionRequest } from '../../src/admission/admission.ts';
import { type Rule, type RuleSubject, ruleMatches } from '../../src/admission/webhooks/rule-match.ts';
import { compileConfiguration, type Webhook } from '../../src/admission/webhooks/webhook.ts';
import { ConditionValues, checkConditions, isExempt, scopeOf } from '../../src/admission/webhooks/webhook-match.ts';
import { ApiError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/objects.ts';
import {
  aNamespace,
  aPod,
  aRequest,
  aWebhook,
  namespaces,
  nodes,
  pods,
  typeOf,
  typesOf,
  validatingConfiguration,
  viewOf,
  widgetsV1,
  widgetsV2,
} from './world.ts';

const podCreation: RuleSubject = {
  operation: 'CREATE',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  clusterScoped: false,
};
const eviction: RuleSubject = { ...podCreation, subresource: 'eviction' };
const scale: RuleSubject = { ...podCreation, group: 'apps', resource: 'deployments', subresource: 'scale' };
const rule: Rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };

const rules: readonly [name: string, change: Partial<Rule>, subject: RuleSubject, matches: boolean][] = [
  ['the resource it names', {}, podCreation, true],
  ['not a subresource that it does not name', {}, eviction, false],
  ['not another resource', { resources: ['services'] }, podCreation, false],
  ['every resource by *', { resources: ['*'] }, podCreation, true],
  ['no subresource by *', { resources: ['*'] }, eviction, false],
  ['every subresource by */*', { resources: ['*/*'] }, eviction, true],
  ['every resource by */*', { resources: ['*/*'] }, podCreation, true],
  ['every subresource of one resource', { resources: ['pods/*'] }, eviction, true],
  ['the resource itself by its /*', { resources: ['pods/*'] }, podCreation, true],
  ['one subresource of one resource', { resources: ['pods/eviction'] }, eviction, true],
  ['not the resource by its subresource', { resources: ['pods/eviction'] }, podCreation, false],
  ['one subresource of every resource', { resources: ['*/scale'], apiGroups: ['apps'] }, scale, true],
  ['not other subresources by */scale', { resources: ['*/scale'] }, eviction, false],
  ['not another group', { apiGroups: ['apps'] }, podCreation, false],
  ['every group by *', { apiGroups: ['*'] }, podCreation, true],
  ['not another version', { apiVersions: ['v2'] }, podCreation, false],
  ['every version by *', { apiVersions: ['*'] }, podCreation, true],
  ['not another operation', { operations: ['UPDATE', 'DELETE'] }, podCreation, false],
  ['every operation by *', { operations: ['*'] }, { ...podCreation, operation: 'CONNECT' }, true],
  ['namespaced objects by scope', { scope: 'Namespaced' }, podCreation, true],
  ['not namespaced objects by scope Cluster', { scope: 'Cluster' }, podCreation, false],
  ['cluster objects by scope', { scope: 'Cluster' }, { ...podCreation, clusterScoped: true }, true],
  ['not cluster objects by scope Namespaced', { scope: 'Namespaced' }, { ...podCreation, clusterScoped: true }, false],
  ['both by scope *', { scope: '*' }, { ...podCreation, clusterScoped: true }, true],
];

describe('a rule matches', () => {
  test.each(rules)('%s', (_name, change, subject, matches) => {
    expect(ruleMatches({ ...rule, ...change }, subject)).toBe(matches);
  });

  test('whatever it matched before, after anything is added to one of its lists', () => {
    const words = fc.constantFrom('*', 'pods', 'pods/*', '*/*', 'v1', '', 'CREATE', 'apps');
    const lists = fc.array(words, { maxLength: 3 });
    const rulesOf = fc.record({ operations: lists, apiGroups: lists, apiVersions: lists, resources: lists });
    const field = fc.constantFrom('operations', 'apiGroups', 'apiVersions', 'resources');
    fc.assert(
      fc.property(rulesOf, field, words, (some, grown, word) => {
        const more = { ...some, [grown]: [...some[grown], word] };
        expect(!ruleMatches(some, podCreation) || ruleMatches(more, podCreation)).toBe(true);
      }),
    );
  });
});

function webhook(more: JsonObject = {}): Webhook {
  const [compiled] = compileConfiguration(
    validatingConfiguration('c', aWebhook('w.example.com', 'https://x', '', more)),
  );
  if (!compiled) throw new Error('nothing was compiled');
  return compiled;
}

const context = {
  view: viewOf({ namespaces: [aNamespace('shop', { team: 'shop' })] }),
  types: typesOf(pods, nodes, namespaces, widgetsV1, widgetsV2),
};
const shopOnly = { namespaceSelector: { matchLabels: { team: 'shop' } } };
const opsOnly = { namespaceSelector: { matchLabels: { team: 'ops' } } };
const labelled = { objectSelector: { matchExpressions: [{ key: 'guard', operator: 'Exists' }] } };
const evictionOf = (labels: Record<string, string>): Partial<AdmissionRequest> => ({
  subresource: 'eviction',
  kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
  object: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web-0', namespace: 'shop', labels } },
});

const scopes: readonly [name: string, hook: JsonObject, request: Partial<AdmissionRequest>, kind: string][] = [
  ['a request in a selected namespace', shopOnly, {}, 'call'],
  ['not a request in another namespace', opsOnly, {}, 'skip'],
  ['a cluster object whatever the namespace selector', opsOnly, { type: nodes, namespace: '' }, 'call'],
  [
    'a new namespace by its own labels',
    opsOnly,
    { type: namespaces, namespace: '', name: 'ops', object: aNamespace('ops', { team: 'ops' }) },
    'call',
  ],
  [
    'not a changed namespace that has other labels now',
    shopOnly,
    { type: namespaces, operation: 'UPDATE', namespace: '', name: 'shop', object: aNamespace('shop') },
    'skip',
  ],
  [
    'a deleted namespace by its stored labels',
    shopOnly,
    { type: namespaces, operation: 'DELETE', namespace: '', name: 'shop', object: undefined },
    'call',
  ],
  ['by refusing, when the namespace does not exist', shopOnly, { namespace: 'gone' }, 'refuse'],
  ['not by refusing, when the rules do not match', { ...shopOnly, rules: [] }, { namespace: 'gone' }, 'skip'],
  ['an object with the label', labelled, { object: aPod({}, { labels: { guard: '' } }) }, 'call'],
  ['not an object without the label', labelled, {}, 'skip'],
  [
    'an update that takes the label away',
    labelled,
    { operation: 'UPDATE', oldObject: aPod({}, { labels: { guard: '' } }) },
    'call',
  ],
  [
    'a deletion by the old object',
    labelled,
    { operation: 'DELETE', object: undefined, oldObject: aPod({}, { labels: { guard: '' } }) },
    'call',
  ],
  ['an eviction by the labels of the Eviction', labelled, evictionOf({ guard: '' }), 'call'],
  ['not an eviction by the labels of its pod', labelled, evictionOf({}), 'skip'],
];

describe('a webhook is asked about', () => {
  test.each(scopes)('%s', (_name, hook, request, kind) => {
    expect(scopeOf(webhook(hook), aRequest(request), context).kind).toBe(kind);
  });

  test('no namespace that does not exist, with the words of the real server', () => {
    const scope = scopeOf(webhook(shopOnly), aRequest({ namespace: 'gone' }), context);
    expect(scope).toMatchObject({ error: { status: { code: 404, message: 'namespaces "gone" not found' } } });
  });

  const v1Only = {
    rules: [{ operations: ['*'], apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['widgets'] }],
  };

  test('another version of the resource, in the version it knows', () => {
    const scope = scopeOf(webhook(v1Only), aRequest({ type: widgetsV2 }), context);
    const kind = { group: 'example.com', version: 'v1', kind: 'Widget' };
    expect(scope).toMatchObject({ kind: 'call', target: { type: { version: 'v1' }, kind } });
  });

  test('no other version, where it wants exact matches', () => {
    expect(scopeOf(webhook({ ...v1Only, matchPolicy: 'Exact' }), aRequest({ type: widgetsV2 }), context).kind).toBe(
      'skip',
    );
  });
});

const conditionCases: readonly [name: string, expressions: readonly string[], verdict: string][] = [
  ['no conditions: asked', [], 'call'],
  ['all true: asked', ['true', 'request.operation == "CREATE"'], 'call'],
  ['one false: skipped', ['true', 'object.metadata.name == "other"'], 'skip'],
  ['one false after an error: skipped', ['request.subResource == ""', 'false'], 'skip'],
  ['a guarded field that is absent: asked', ['!has(request.subResource)'], 'call'],
  ['no old object: null', ['oldObject == null'], 'call'],
  ['the user is known', ['"system:masters" in request.userInfo.groups'], 'call'],
  ['options are there', ['request.options.fieldManager == "kubectl"'], 'call'],
];

describe('match conditions', () => {
  const matchConditions = (expressions: readonly string[]) =>
    expressions.map((expression, index) => ({ name: `c${index}`, expression }));
  const check = (expressions: readonly string[], more: JsonObject = {}) => {
    const hook = webhook({ matchConditions: matchConditions(expressions), ...more });
    const request = aRequest();
    return checkConditions(hook, request, { type: request.type, kind: request.kind }, request, new ConditionValues());
  };

  test.each(conditionCases)('%s', (_name, expressions, verdict) => {
    expect(check(expressions)).toBe(verdict);
  });

  test('that fail refuse the request with 403', () => {
    const refusal = check(['true', 'request.subResource == "eviction"']);
    expect(refusal).toBeInstanceOf(ApiError);
    expect((refusal as ApiError).status).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message:
        'pods "web-0" is forbidden: expression \'request.subResource == "eviction"\' resulted in error: no such key: subResource',
    });
  });

  test('that fail are passed over where failures are ignored', () => {
    expect(check(['request.subResource == "eviction"'], { failurePolicy: 'Ignore' })).toBe('skip');
  });

  test('that fail twice say both', () => {
    const refusal = check(['request.subResource == ""', 'object.nothing == 1']) as ApiError;
    expect(refusal.message).toMatch(/forbidden: \[expression .*no such key: subResource, expression .*nothing\]$/);
  });
});

describe('no webhook is asked about', () => {
  const configurations = typeOf(
    'admissionregistration.k8s.io',
    'v1',
    'validatingwebhookconfigurations',
    'ValidatingWebhookConfiguration',
  );
  const reviews = typeOf('authorization.k8s.io', 'v1', 'subjectaccessreviews', 'SubjectAccessReview');

  test.each([
    ['webhook configurations', configurations, true],
    ['access reviews', reviews, true],
  ])('%s', (_name, type, exempt) => {
    expect(isExempt(aRequest({ type }))).toBe(exempt);
  });

  test('but pods are not exempt', () => {
    expect(isExempt(aRequest())).toBe(false);
  });
});
