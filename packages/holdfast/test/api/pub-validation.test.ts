import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { table } from '../../../../test/support/table.ts';
import { hostileJson, unchecked } from '../../../../test/support/unchecked.ts';
import { type FieldError, invalid, notSupported, required } from '../../../base/src/field-errors.ts';
import type { PodUnavailableBudget } from '../../src/api/pub/pub.ts';
import { validatePub } from '../../src/api/pub/pub-validation.ts';

const selector = { matchLabels: { app: 'web' } };
const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const operations = ['DELETE', 'UPDATE', 'EVICT', 'RESIZE'];
const opsKey = 'kruise.io/pub-protect-operations';
const totalKey = 'pub.kruise.io/protect-total-replicas';
const opsField = `metadata.annotations[${opsKey}]`;
const totalField = `metadata.annotations[${totalKey}]`;
const notPositive = 'must be a 32-bit integer greater than or equal to 1';

function pub(spec: unknown, annotations?: unknown): PodUnavailableBudget {
  return unchecked({
    apiVersion: 'policy.kruise.io/v1beta1',
    kind: 'PodUnavailableBudget',
    metadata: { name: 'mine', namespace: 'shop', ...(annotations === undefined ? {} : { annotations }) },
    spec,
  });
}

interface Row {
  readonly name: string;
  readonly pub: PodUnavailableBudget;
  readonly want: readonly FieldError[];
}

/** One spec field of an otherwise valid budget, and what is wrong with it. */
function field(name: string, extra: object, ...want: FieldError[]): Row {
  return { name, pub: pub({ selector, maxUnavailable: 1, ...extra }), want };
}

/** A budget with a targetRef, and what is wrong with it. */
function target(name: string, ref: unknown, ...want: FieldError[]): Row {
  return { name, pub: pub({ targetRef: ref, minAvailable: 1 }), want };
}

/** The annotations of an otherwise valid budget, and what is wrong with them. */
function annotated(name: string, annotations: unknown, ...want: FieldError[]): Row {
  return { name, pub: pub({ selector, maxUnavailable: 1 }, annotations), want };
}

function check(row: Row): void {
  expect(validatePub(row.pub, [])).toEqual(row.want);
}

describe('validatePub on the object', () => {
  const tooLittle = [
    required('spec.selector, targetRef', 'no selector or targetRef defined in PodUnavailableBudget'),
    required('spec.maxUnavailable, minAvailable', 'no maxUnavailable or minAvailable defined in PodUnavailableBudget'),
  ];
  table<Row>(
    [
      { name: 'accepts a selector with maxUnavailable', pub: pub({ selector, maxUnavailable: 1 }), want: [] },
      { name: 'accepts a targetRef with minAvailable', pub: pub({ targetRef, minAvailable: '50%' }), want: [] },
      { name: 'says everything that an empty spec lacks', pub: pub({}), want: tooLittle },
      { name: 'takes an absent spec for an empty one', pub: pub(undefined), want: tooLittle },
      { name: 'refuses a spec that is a list', pub: pub([]), want: [invalid('spec', [], 'must be an object')] },
      {
        name: 'refuses null',
        pub: unchecked(null),
        want: [invalid('PodUnavailableBudget', null, 'must be an object')],
      },
      {
        name: 'refuses an object without metadata',
        pub: unchecked({ spec: { selector, maxUnavailable: 1 } }),
        want: [required('metadata', 'must be an object')],
      },
      {
        name: 'refuses a name that is a number',
        pub: unchecked({ metadata: { name: 7 }, spec: { selector, maxUnavailable: 1 } }),
        want: [invalid('metadata.name', 7, 'must be a string')],
      },
      {
        name: 'refuses a namespace that is an object',
        pub: unchecked({ metadata: { name: 'x', namespace: {} }, spec: { selector, maxUnavailable: 1 } }),
        want: [invalid('metadata.namespace', {}, 'must be a string')],
      },
      {
        name: 'refuses a version that it does not know',
        pub: { ...pub({ selector, maxUnavailable: 1 }), apiVersion: 'policy.kruise.io/v1' },
        want: [invalid('apiVersion', 'policy.kruise.io/v1', 'unsupported version: policy.kruise.io/v1')],
      },
      {
        name: 'refuses a version that is no string',
        pub: unchecked({ apiVersion: 1, metadata: { name: 'x' }, spec: { selector, maxUnavailable: 1 } }),
        want: [invalid('apiVersion', 1, 'must be a string')],
      },
      {
        name: 'accepts an item of a list, which has no apiVersion',
        pub: { metadata: { name: 'x' }, spec: { selector, maxUnavailable: 1 } },
        want: [],
      },
    ],
    check,
  );
});

describe('validatePub on selector and targetRef', () => {
  const emptyRef = 'empty targetRef is not valid for PodUnavailableBudget';
  table<Row>(
    [
      field(
        'refuses both selector and targetRef',
        { targetRef },
        required('spec.selector, targetRef', 'selector and targetRef are mutually exclusive'),
      ),
      field('takes a targetRef that is null for absent', { targetRef: null }),
      {
        name: 'refuses neither selector nor targetRef',
        pub: pub({ selector: null, maxUnavailable: 1 }),
        want: [required('spec.selector, targetRef', 'no selector or targetRef defined in PodUnavailableBudget')],
      },
      field(
        'refuses an empty selector',
        { selector: {} },
        invalid('spec.selector', {}, 'empty selector is not valid for PodUnavailableBudget.'),
      ),
      field(
        'refuses a selector whose parts are empty',
        { selector: { matchLabels: {}, matchExpressions: [] } },
        invalid(
          'spec.selector',
          { matchLabels: {}, matchExpressions: [] },
          'empty selector is not valid for PodUnavailableBudget.',
        ),
      ),
      field(
        'refuses a selector that is a string',
        { selector: 'app=web' },
        invalid('spec.selector', 'app=web', 'must be an object'),
      ),
      field(
        'refuses an operator that no selector has',
        { selector: { matchExpressions: [{ key: 'a', operator: 'Gt' }] } },
        notSupported('spec.selector.matchExpressions[0].operator', 'Gt', ['In', 'NotIn', 'Exists', 'DoesNotExist']),
      ),
      target('refuses a targetRef that is a string', 'web', invalid('spec.targetRef', 'web', 'must be an object')),
      target('refuses an empty targetRef', {}, invalid('spec.targetRef', {}, emptyRef)),
      ...(['apiVersion', 'kind', 'name'] as const).flatMap((key) => [
        target(
          `refuses a targetRef with an empty ${key}`,
          { ...targetRef, [key]: '' },
          invalid('spec.targetRef', { ...targetRef, [key]: '' }, emptyRef),
        ),
        target(
          `refuses a targetRef whose ${key} is a number`,
          { ...targetRef, [key]: 1 },
          invalid(`spec.targetRef.${key}`, 1, 'must be a string'),
        ),
        target(
          `refuses a targetRef whose ${key} is null`,
          { ...targetRef, [key]: null },
          invalid(`spec.targetRef.${key}`, null, 'must be a string'),
        ),
      ]),
      target('accepts a targetRef in the core group', { ...targetRef, apiVersion: 'v1' }),
      ...['apps/v1/x', 'apps/', '/v1', '/'].map((apiVersion) =>
        target(
          `refuses the apiVersion ${apiVersion}`,
          { ...targetRef, apiVersion },
          invalid('spec.targetRef', { ...targetRef, apiVersion }, `unexpected GroupVersion string: ${apiVersion}`),
        ),
      ),
    ],
    check,
  );
});

describe('validatePub on maxUnavailable and minAvailable', () => {
  const both = required('spec.maxUnavailable, minAvailable', 'maxUnavailable and minAvailable are mutually exclusive');
  const podGroupPolicy = { groupLabelKey: 'shard' };
  table<Row>(
    [
      field('accepts 0', { maxUnavailable: 0 }),
      field('accepts 100%', { maxUnavailable: '100%' }),
      field('refuses both', { minAvailable: 1 }, both),
      field('accepts both with a podGroupPolicy', { minAvailable: 1, podGroupPolicy }),
      field('refuses both with a podGroupPolicy that is null', { minAvailable: 1, podGroupPolicy: null }, both),
      {
        name: 'refuses neither, even with a podGroupPolicy',
        pub: pub({ selector, podGroupPolicy }),
        want: [
          required(
            'spec.maxUnavailable, minAvailable',
            'no maxUnavailable or minAvailable defined in PodUnavailableBudget',
          ),
        ],
      },
      field(
        'refuses a negative number',
        { maxUnavailable: -1 },
        invalid('spec.maxUnavailable', -1, 'must be greater than or equal to 0'),
      ),
      field(
        'refuses more than 100%',
        { maxUnavailable: '101%' },
        invalid('spec.maxUnavailable', '101%', 'must not be greater than 100%'),
      ),
      field(
        'refuses null',
        { maxUnavailable: null },
        invalid('spec.maxUnavailable', null, 'must be an integer or a percentage'),
      ),
      field(
        'checks minAvailable, too',
        { maxUnavailable: undefined, minAvailable: [] },
        invalid('spec.minAvailable', [], 'must be an integer or a percentage'),
      ),
      field(
        'checks both where both may be',
        { maxUnavailable: -1, minAvailable: '200%', podGroupPolicy },
        invalid('spec.maxUnavailable', -1, 'must be greater than or equal to 0'),
        invalid('spec.minAvailable', '200%', 'must not be greater than 100%'),
      ),
    ],
    check,
  );
});

describe('validatePub on the other fields', () => {
  table<Row>(
    [
      field('accepts every operation', { protectOperations: operations }),
      field('accepts no operation, which means the default', { protectOperations: [] }),
      field(
        'names the operation that it does not know',
        { protectOperations: ['DELETE', 'delete', 3] },
        notSupported('spec.protectOperations[1]', 'delete', operations),
        notSupported('spec.protectOperations[2]', 3, operations),
      ),
      field(
        'refuses operations that are a string',
        { protectOperations: 'DELETE' },
        invalid('spec.protectOperations', 'DELETE', 'must be a list'),
      ),
      field(
        'refuses operations that are null',
        { protectOperations: null },
        invalid('spec.protectOperations', null, 'must be a list'),
      ),
      field('accepts protectTotalReplicas', { protectTotalReplicas: 1 }),
      ...[0, -1, 1.5, '3', null, 2_147_483_648].map((value) =>
        field(
          `refuses protectTotalReplicas ${JSON.stringify(value)}`,
          { protectTotalReplicas: value },
          invalid('spec.protectTotalReplicas', value, notPositive),
        ),
      ),
      field('accepts an ignoredPodSelector', { ignoredPodSelector: { matchLabels: { canary: 'true' } } }),
      field('takes an ignoredPodSelector that is null for absent', { ignoredPodSelector: null }),
      field(
        'refuses an empty ignoredPodSelector',
        { ignoredPodSelector: {} },
        invalid('spec.ignoredPodSelector', {}, 'empty ignoredPodSelector is not valid for PodUnavailableBudget'),
      ),
      field(
        'refuses an ignoredPodSelector that is wrong inside',
        { ignoredPodSelector: { matchLabels: { a: 1 } } },
        invalid('spec.ignoredPodSelector.matchLabels[a]', 1, 'must be a string'),
      ),
      field('accepts a podGroupPolicy', { podGroupPolicy: { groupLabelKey: 'x.io/shard', minReadyReplicas: 3 } }),
      field(
        'refuses a podGroupPolicy that is a string',
        { podGroupPolicy: 'shard' },
        invalid('spec.podGroupPolicy', 'shard', 'must be an object'),
      ),
      ...[{}, { groupLabelKey: '' }, { groupLabelKey: null }].map((podGroupPolicy) =>
        field(
          `refuses the podGroupPolicy ${JSON.stringify(podGroupPolicy)}, which names no label`,
          { podGroupPolicy },
          required('spec.podGroupPolicy.groupLabelKey', 'must name the label whose value is the group'),
        ),
      ),
      field(
        'refuses a groupLabelKey that no label can have, and a bad minimum beside it',
        { podGroupPolicy: { groupLabelKey: '-x', minReadyReplicas: 0 } },
        invalid(
          'spec.podGroupPolicy.groupLabelKey',
          '-x',
          'name part must consist of letters, digits, -, _ or ., and start and end with a letter or digit',
        ),
        invalid('spec.podGroupPolicy.minReadyReplicas', 0, notPositive),
      ),
      ...[1.5, '2', null].map((minReadyReplicas) =>
        field(
          `refuses minReadyReplicas ${JSON.stringify(minReadyReplicas)}`,
          { podGroupPolicy: { groupLabelKey: 'a', minReadyReplicas } },
          invalid('spec.podGroupPolicy.minReadyReplicas', minReadyReplicas, notPositive),
        ),
      ),
      field(
        'says everything that is wrong at once',
        { maxUnavailable: -1, protectTotalReplicas: 0, protectOperations: ['X'] },
        invalid('spec.maxUnavailable', -1, 'must be greater than or equal to 0'),
        notSupported('spec.protectOperations[0]', 'X', operations),
        invalid('spec.protectTotalReplicas', 0, notPositive),
      ),
    ],
    check,
  );
});

describe('validatePub on annotations', () => {
  const bad = (text: string, word: string) => invalid(opsField, text, `invalid ${opsKey} value "${word}"`);
  table<Row>(
    [
      annotated('accepts operations without blanks', { [opsKey]: 'DELETE,EVICT' }),
      annotated('accepts operations with blanks, as the documentation writes them', {
        [opsKey]: ' DELETE, EVICT , UPDATE,RESIZE',
      }),
      annotated('refuses an unknown word', { [opsKey]: 'DELETE,SCALE' }, bad('DELETE,SCALE', 'SCALE')),
      annotated('refuses small letters', { [opsKey]: 'delete' }, bad('delete', 'delete')),
      annotated('refuses an empty annotation', { [opsKey]: '' }, bad('', '')),
      annotated('refuses a comma at the end', { [opsKey]: 'DELETE,' }, bad('DELETE,', '')),
      annotated('refuses every unknown word by name', { [opsKey]: 'A,B' }, bad('A,B', 'A'), bad('A,B', 'B')),
      annotated('accepts a total', { [totalKey]: '10' }),
      ...['ten', '', '1.5', ' 1', '1e3', '2147483648', '-2147483649', '0x10'].map((text) =>
        annotated(
          `refuses the total "${text}"`,
          { [totalKey]: text },
          invalid(totalField, text, 'must be a valid int32'),
        ),
      ),
      ...['0', '-1'].map((text) =>
        annotated(
          `refuses the total "${text}", which is below 1`,
          { [totalKey]: text },
          invalid(totalField, text, 'must be greater than or equal to 1'),
        ),
      ),
      {
        name: 'accepts a total that the field repeats',
        pub: pub({ selector, maxUnavailable: 1, protectTotalReplicas: 10 }, { [totalKey]: '10' }),
        want: [],
      },
      {
        name: 'refuses a total that the field contradicts',
        pub: pub({ selector, maxUnavailable: 1, protectTotalReplicas: 9 }, { [totalKey]: '10' }),
        want: [invalid(totalField, '10', 'must match spec.protectTotalReplicas when both are set')],
      },
      annotated(
        'refuses an annotation that is a number',
        { [totalKey]: 10 },
        invalid(totalField, 10, 'must be a string'),
      ),
      annotated(
        'refuses annotations that are a list',
        ['x'],
        invalid('metadata.annotations', ['x'], 'must be an object'),
      ),
      annotated('takes annotations that are null for none', null),
      annotated('leaves the annotations of others alone', { 'example.com/x': '' }),
    ],
    check,
  );
});

describe('validatePub on an update', () => {
  const changed = [required('spec.selector, targetRef', 'selector and targetRef cannot be modified')];
  const bySelector = pub({ selector, maxUnavailable: 1 });
  const byTarget = pub({ targetRef, maxUnavailable: 1 });
  table(
    [
      { name: 'accepts no change', old: bySelector, pub: bySelector, want: [] },
      {
        name: 'accepts a change from maxUnavailable to minAvailable',
        old: bySelector,
        pub: pub({ selector, minAvailable: '10%' }),
        want: [],
      },
      {
        name: 'takes null for absent',
        old: bySelector,
        pub: pub({ selector, targetRef: null, maxUnavailable: 1 }),
        want: [],
      },
      {
        name: 'refuses another selector',
        old: bySelector,
        pub: pub({ selector: { matchLabels: { app: 'api' } }, maxUnavailable: 1 }),
        want: changed,
      },
      {
        name: 'refuses a further label',
        old: bySelector,
        pub: pub({ selector: { matchLabels: { app: 'web', tier: 'x' } }, maxUnavailable: 1 }),
        want: changed,
      },
      {
        name: 'refuses another targetRef',
        old: byTarget,
        pub: pub({ targetRef: { ...targetRef, name: 'api' }, maxUnavailable: 1 }),
        want: changed,
      },
      {
        name: 'refuses another version of the target',
        old: byTarget,
        pub: pub({ targetRef: { ...targetRef, apiVersion: 'apps/v1beta1' }, maxUnavailable: 1 }),
        want: changed,
      },
      { name: 'refuses a targetRef instead of the selector', old: bySelector, pub: byTarget, want: changed },
      {
        name: 'refuses a target where there was none',
        old: pub({ maxUnavailable: 1 }),
        pub: bySelector,
        want: changed,
      },
      {
        name: 'does not trip over an old object without a spec',
        old: unchecked<PodUnavailableBudget>(null),
        pub: bySelector,
        want: changed,
      },
    ],
    ({ old, pub, want }) => expect(validatePub(pub, [old], old)).toEqual(want),
  );
});

describe('validatePub on other budgets', () => {
  function other(name: string, spec: unknown, extra: object = {}): PodUnavailableBudget {
    return unchecked({ metadata: { name, namespace: 'shop', ...extra }, spec });
  }
  const mine = pub({ selector, maxUnavailable: 1 });
  const mineByTarget = pub({ targetRef, maxUnavailable: 1 });
  const onSelector = (name: string) =>
    invalid('spec.selector', selector, `pub.spec.selector is in conflict with other PodUnavailableBudget ${name}`);
  const onTarget = (name: string) =>
    invalid(
      'spec.targetReference',
      targetRef,
      `pub.spec.targetReference is in conflict with other PodUnavailableBudget ${name}`,
    );
  table<Row & { readonly others: readonly PodUnavailableBudget[] }>(
    [
      { name: 'refuses the same selector', pub: mine, others: [other('a', { selector })], want: [onSelector('a')] },
      {
        name: 'refuses a selector that overlaps',
        pub: mine,
        others: [other('a', { selector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] } })],
        want: [onSelector('a')],
      },
      {
        name: 'accepts a selector with a further key',
        pub: mine,
        others: [other('a', { selector: { matchLabels: { app: 'web', tier: 'x' } } })],
        want: [],
      },
      {
        name: 'names every budget that is in the way, in order',
        pub: mine,
        others: [other('b', { selector }), other('c', { targetRef }), other('a', { selector })],
        want: [onSelector('b'), onSelector('a')],
      },
      {
        name: 'refuses the same target',
        pub: mineByTarget,
        others: [other('a', { targetRef })],
        want: [onTarget('a')],
      },
      {
        name: 'refuses the same target in another version',
        pub: mineByTarget,
        others: [other('a', { targetRef: { ...targetRef, apiVersion: 'apps/v1beta2' } })],
        want: [onTarget('a')],
      },
      {
        name: 'accepts a target of another group, kind or name',
        pub: mineByTarget,
        others: [
          other('a', { targetRef: { ...targetRef, apiVersion: 'apps.kruise.io/v1' } }),
          other('b', { targetRef: { ...targetRef, kind: 'StatefulSet' } }),
          other('c', { targetRef: { ...targetRef, name: 'api' } }),
        ],
        want: [],
      },
      { name: 'never compares a target with a selector', pub: mine, others: [other('a', { targetRef })], want: [] },
      {
        name: 'reads an old budget that has both by its targetRef',
        pub: mine,
        others: [other('a', { selector, targetRef })],
        want: [],
      },
      {
        name: 'counts a budget that is being deleted',
        pub: mine,
        others: [other('a', { selector }, { deletionTimestamp: '2026-01-01T00:00:00Z' })],
        want: [onSelector('a')],
      },
      { name: 'passes over itself', pub: mine, others: [other('mine', { selector })], want: [] },
      {
        name: 'passes over other namespaces, whatever the name',
        pub: mine,
        others: [other('a', { selector }, { namespace: 'b' }), other('mine', { selector }, { namespace: 'b' })],
        want: [],
      },
      {
        name: 'passes over what cannot be read',
        pub: mine,
        others: [
          unchecked(null),
          unchecked({ metadata: 1 }),
          other('a', 5),
          other('b', { selector: 'x' }),
          other('c', {}),
        ],
        want: [],
      },
    ],
    ({ pub, others, want }) => expect(validatePub(pub, others)).toEqual(want),
  );
});

describe('validatePub on anything at all', () => {
  const words = [
    'apiVersion',
    'metadata',
    'name',
    'namespace',
    'annotations',
    'spec',
    'selector',
    'matchLabels',
    'matchExpressions',
    'key',
    'operator',
    'In',
    'values',
    'targetRef',
    'kind',
    'maxUnavailable',
    'minAvailable',
    'protectOperations',
    'protectTotalReplicas',
    'ignoredPodSelector',
    'podGroupPolicy',
    'groupLabelKey',
    'minReadyReplicas',
    opsKey,
    totalKey,
  ];
  it('never throws, and its errors name a field and a reason', () => {
    const any = hostileJson(words);
    const almost = any.map((spec) => pub(spec));
    fc.assert(
      fc.property(
        fc.oneof(any, almost),
        fc.array(fc.oneof(any, almost), { maxLength: 3 }),
        any,
        (source, others, old) => {
          const errors = validatePub(unchecked(source), others.map(unchecked<PodUnavailableBudget>), unchecked(old));
          for (const error of errors) {
            expect(error.field).not.toBe('');
            expect(error.detail).not.toBe('');
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
