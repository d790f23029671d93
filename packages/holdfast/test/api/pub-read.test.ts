import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { table } from '../../../../test/support/table.ts';
import { hostileJson, unchecked } from '../../../../test/support/unchecked.ts';
import { type FieldError, invalid, notSupported, required } from '../../../base/src/field-errors.ts';
import type { PodUnavailableBudget } from '../../src/api/pub/pub.ts';
import { type PubRules, readPub } from '../../src/api/pub/pub-read.ts';
import { validatePub } from '../../src/api/pub/pub-validation.ts';
import { validPub } from './pub-arbitrary.ts';

const selector = { matchLabels: { app: 'web' } };
const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const opsKey = 'kruise.io/pub-protect-operations';
const totalKey = 'pub.kruise.io/protect-total-replicas';

function pub(spec: unknown, annotations?: unknown): PodUnavailableBudget {
  return unchecked({
    apiVersion: 'policy.kruise.io/v1alpha1',
    metadata: { name: 'mine', namespace: 'shop', annotations },
    spec,
  });
}

const bySelector = { kind: 'selector', selector: [{ op: 'In', key: 'app', values: ['web'] }] } as const;
const byTarget = { kind: 'workload', group: 'apps', workloadKind: 'Deployment', name: 'web' } as const;
const one = { kind: 'count', count: 1 } as const;
const half = { kind: 'percent', percent: 50 } as const;
const usual = new Set(['DELETE', 'UPDATE', 'EVICT'] as const);
const base: PubRules = { target: bySelector, maxUnavailable: one, operations: usual, takeover: true };

describe('readPub', () => {
  table<{ readonly name: string; readonly pub: PodUnavailableBudget; readonly want: PubRules }>(
    [
      { name: 'reads a selector and fills in the operations', pub: pub({ selector, maxUnavailable: 1 }), want: base },
      {
        name: 'reads a targetRef without its version',
        pub: pub({ targetRef, minAvailable: '50%' }),
        want: { target: byTarget, minAvailable: half, operations: usual, takeover: true },
      },
      {
        name: 'reads a target in the core group',
        pub: pub({ targetRef: { ...targetRef, apiVersion: 'v1' }, maxUnavailable: 1 }),
        want: { ...base, target: { ...byTarget, group: '' } },
      },
      {
        name: 'follows the targetRef where an old object has both, and does not look at the selector',
        pub: pub({ targetRef, selector: {}, maxUnavailable: 1 }),
        want: { ...base, target: byTarget },
      },
      {
        name: 'is about nothing without selector and targetRef',
        pub: pub({ maxUnavailable: 1, selector: null, targetRef: null }),
        want: { ...base, target: { kind: 'nothing' } },
      },
      {
        name: 'follows maxUnavailable where an old object has both, and does not look at minAvailable',
        pub: pub({ selector, maxUnavailable: 1, minAvailable: 'x' }),
        want: base,
      },
      {
        name: 'keeps both with a podGroupPolicy, whose minimum is 1',
        pub: pub({ selector, maxUnavailable: 1, minAvailable: '50%', podGroupPolicy: { groupLabelKey: 'shard' } }),
        want: { ...base, minAvailable: half, groups: { labelKey: 'shard', minReady: 1 } },
      },
      {
        name: 'reads the minimum of a podGroupPolicy',
        pub: pub({ selector, maxUnavailable: 1, podGroupPolicy: { groupLabelKey: 'shard', minReadyReplicas: 4 } }),
        want: { ...base, groups: { labelKey: 'shard', minReady: 4 } },
      },
      {
        name: 'takes the operations of the spec first, and does not look at the annotation',
        pub: pub({ selector, maxUnavailable: 1, protectOperations: ['RESIZE', 'RESIZE'] }, { [opsKey]: 'nonsense' }),
        want: { ...base, operations: new Set(['RESIZE']) },
      },
      {
        name: 'takes the operations of the annotation where the spec has an empty list',
        pub: pub({ selector, maxUnavailable: 1, protectOperations: [] }, { [opsKey]: ' EVICT , RESIZE' }),
        want: { ...base, operations: new Set(['EVICT', 'RESIZE']) },
      },
      {
        name: 'takes the total of the spec first',
        pub: pub({ selector, maxUnavailable: 1, protectTotalReplicas: 7 }, { [totalKey]: 'nonsense' }),
        want: { ...base, totalReplicas: 7 },
      },
      {
        name: 'takes the total of the annotation next',
        pub: pub({ selector, maxUnavailable: 1 }, { [totalKey]: '8' }),
        want: { ...base, totalReplicas: 8 },
      },
      {
        name: 'reads which pods are ignored',
        pub: pub({ selector, maxUnavailable: 1, ignoredPodSelector: { matchLabels: { canary: 'yes' } } }),
        want: { ...base, ignored: [{ op: 'In', key: 'canary', values: ['yes'] }] },
      },
      {
        name: 'ignores no pod for an empty ignoredPodSelector',
        pub: pub({ selector, maxUnavailable: 1, ignoredPodSelector: {} }),
        want: base,
      },
      {
        name: 'reads an item of a list, which has no apiVersion',
        pub: { metadata: { name: 'x' }, spec: { selector, maxUnavailable: 1 } },
        want: base,
      },
    ],
    ({ pub, want }) => {
      // Strict: an absent field and one that is undefined are two things to code that spreads the result.
      expect(readPub(pub)).toStrictEqual({ ok: true, value: want });
    },
  );

  const noAmount = required(
    'spec.maxUnavailable, minAvailable',
    'no maxUnavailable or minAvailable defined in PodUnavailableBudget',
  );
  table<{ readonly name: string; readonly pub: PodUnavailableBudget; readonly want: readonly FieldError[] }>(
    [
      { name: 'refuses neither maxUnavailable nor minAvailable', pub: pub({ selector }), want: [noAmount] },
      { name: 'refuses an absent spec', pub: pub(undefined), want: [noAmount] },
      {
        name: 'refuses an empty selector, which would be every pod',
        pub: pub({ selector: {}, maxUnavailable: 1 }),
        want: [invalid('spec.selector', {}, 'empty selector is not valid for PodUnavailableBudget.')],
      },
      {
        name: 'refuses a targetRef without a name',
        pub: pub({ targetRef: { ...targetRef, name: '' }, maxUnavailable: 1 }),
        want: [
          invalid(
            'spec.targetRef',
            { ...targetRef, name: '' },
            'empty targetRef is not valid for PodUnavailableBudget',
          ),
        ],
      },
      {
        name: 'refuses an annotation that it has to read and cannot',
        pub: pub({ selector, maxUnavailable: 1 }, { [opsKey]: 'ALL', [totalKey]: 'many' }),
        want: [
          invalid(`metadata.annotations[${opsKey}]`, 'ALL', `invalid ${opsKey} value "ALL"`),
          invalid(`metadata.annotations[${totalKey}]`, 'many', 'must be a valid int32'),
        ],
      },
      {
        name: 'refuses both amounts when both are read and wrong',
        pub: pub({ selector, maxUnavailable: -1, minAvailable: true, podGroupPolicy: { groupLabelKey: 'a' } }),
        want: [
          invalid('spec.maxUnavailable', -1, 'must be greater than or equal to 0'),
          invalid('spec.minAvailable', true, 'must be an integer or a percentage'),
        ],
      },
      {
        name: 'says everything that is wrong at once',
        pub: pub({
          selector: 1,
          maxUnavailable: null,
          protectOperations: ['X'],
          protectTotalReplicas: 0,
          ignoredPodSelector: 2,
          podGroupPolicy: 3,
        }),
        want: [
          invalid('spec.selector', 1, 'must be an object'),
          invalid('spec.maxUnavailable', null, 'must be an integer or a percentage'),
          notSupported('spec.protectOperations[0]', 'X', ['DELETE', 'UPDATE', 'EVICT', 'RESIZE']),
          invalid('spec.protectTotalReplicas', 0, 'must be a 32-bit integer greater than or equal to 1'),
          invalid('spec.ignoredPodSelector', 2, 'must be an object'),
          invalid('spec.podGroupPolicy', 3, 'must be an object'),
        ],
      },
      {
        name: 'refuses a version that it does not know',
        pub: { ...pub({ selector, maxUnavailable: 1 }), apiVersion: 'policy.kruise.io/v2' },
        want: [invalid('apiVersion', 'policy.kruise.io/v2', 'unsupported version: policy.kruise.io/v2')],
      },
      {
        name: 'refuses what is no object',
        pub: unchecked([]),
        want: [invalid('PodUnavailableBudget', [], 'must be an object')],
      },
    ],
    ({ pub, want }) => expect(readPub(pub)).toEqual({ ok: false, errors: want }),
  );

  it('reads everything that validation accepts', () => {
    fc.assert(
      fc.property(validPub(), (source) => {
        expect(validatePub(source, [])).toEqual([]);
        expect(readPub(source)).toMatchObject({ ok: true });
      }),
    );
  });

  it('never throws, and has a reason when it has no value', () => {
    const words = [
      'metadata',
      'annotations',
      'spec',
      'selector',
      'matchLabels',
      'targetRef',
      'apiVersion',
      'kind',
      'name',
    ];
    const more = ['maxUnavailable', 'minAvailable', 'protectOperations', 'podGroupPolicy', 'groupLabelKey', opsKey];
    const any = hostileJson([...words, ...more, 'ignoredPodSelector', 'protectTotalReplicas', totalKey]);
    fc.assert(
      fc.property(
        fc.oneof(
          any,
          any.map((spec) => pub(spec)),
          any.map((a) => pub({ selector, maxUnavailable: 1 }, a)),
        ),
        (source) => {
          const result = readPub(unchecked(source));
          if (!result.ok) expect(result.errors.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
