import { describe, expect, it } from 'vitest';
import { parseFeatureGates } from '../../../src/install/values/feature-gates.ts';
import { failed, succeeded } from '../../../src/kube/outcome/failure.ts';
import { Interner } from '../../../src/kube/projection/interner.ts';
import { deleteJudgedPod } from '../../../src/operator/rollout/remove-pod.ts';
import { createRolloutMetrics } from '../../../src/operator/rollout/rollout-metrics.ts';
import { selectorQuery } from '../../../src/operator/rollout/selector-query.ts';
import { watchedSetProjection } from '../../../src/operator/rollout/watched-set.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';

describe('a selector as a query', () => {
  const cases = [
    ['labels', { matchLabels: { app: 'web', tier: 'a' } }, 'app=web,tier=a'],
    [
      'every operator',
      {
        matchExpressions: [
          { key: 'a', operator: 'In', values: ['1', '2'] },
          { key: 'b', operator: 'NotIn', values: ['3'] },
          { key: 'c', operator: 'Exists' },
          { key: 'd', operator: 'DoesNotExist' },
        ],
      },
      'a in (1,2),b notin (3),c,!d',
    ],
    ['an unknown one', { matchExpressions: [{ key: 'a', operator: 'Like', values: ['x'] }] }, undefined],
    ['nothing, which would be everything', {}, ''],
  ] as const;
  it.each(cases)('has %s', (_, selector, query) => expect(selectorQuery(selector)).toBe(query));
});

describe('a set that is watched', () => {
  const project = watchedSetProjection(new Interner());
  const set = (annotations: object) => ({
    metadata: { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '1', annotations },
    spec: { selector: { matchLabels: { app: 'web' } }, template: {} },
  });

  it('is kept with its selector when it asks, or still shows something', () => {
    const selector = { matchLabels: { app: 'web' } };
    expect(project(set({ 'holdfast.dev/update-strategy': 'anything' }))).toMatchObject({ selector });
    expect(project(set({ 'holdfast.dev/rollout-state': 'idle' }))).toMatchObject({ selector });
  });

  it('is but a name otherwise', () => {
    expect(project(set({ other: 'x' }))).toEqual({
      metadata: { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '1' },
    });
  });
});

describe('a removal', () => {
  const removal = { why: 'broken', pod: 'web-0', ordinal: 0, uid: 'u', resourceVersion: '7' } as const;
  const budget = { details: { causes: [{ reason: 'DisruptionBudget', message: 'no' }] } };
  const outcomes = [
    ['was removed', succeeded({}), 'removed'],
    ['is gone', failed({ kind: 'notFound', message: 'x' }), 'moved'],
    ['has changed', failed({ kind: 'conflict', message: 'x' }), 'moved'],
    ['is refused by a webhook', failed({ kind: 'denied', message: 'x' }), 'refused'],
    [
      'is refused by a budget',
      failed({ kind: 'tooManyRequests', message: 'x', retryAfterMs: undefined, status: budget }),
      'refused',
    ],
    [
      'came while the API server had too much to do',
      failed({ kind: 'tooManyRequests', message: 'x', retryAfterMs: undefined }),
      'failed',
      false,
    ],
    [
      'was never asked for',
      failed({ kind: 'retry', cause: 'limited', message: 'x', retryAfterMs: undefined, maybeDone: false }),
      'failed',
      false,
    ],
    ['was given up by us', failed({ kind: 'aborted', message: 'x', maybeDone: true }), 'failed', true],
    [
      'may have happened',
      failed({ kind: 'retry', cause: 'deadline', message: 'x', retryAfterMs: undefined, maybeDone: true }),
      'failed',
      true,
    ],
  ] as const;
  it.each(outcomes)('of a pod that %s', async (_, outcome, kind, maybeDone?: boolean) => {
    const asked: unknown[] = [];
    const client = {
      delete: (_resource: unknown, place: unknown, body: unknown) => {
        asked.push(place, body);
        return Promise.resolve(outcome);
      },
    };
    const call = { client, namespace: 'shop', deadlineMs: 1_000, signal: new AbortController().signal };
    const wanted = maybeDone === undefined ? { kind } : { kind, maybeDone };
    expect(await deleteJudgedPod(call, removal)).toMatchObject(wanted);
    expect(asked).toEqual([
      { namespace: 'shop', name: 'web-0' },
      { preconditions: { uid: 'u', resourceVersion: '7' } },
    ]);
  });
});

it('the metric of stuck rollouts counts each set once, by why, and forgets', async () => {
  const metrics = createMetrics();
  const rollouts = createRolloutMetrics(metrics);
  const refused = { kind: 'blocked', why: 'refused', pod: 'web-0', message: 'no' } as const;
  rollouts.state('shop/web', refused);
  rollouts.state('shop/web', refused);
  rollouts.state('shop/db', { kind: 'idle', why: 'upToDate' });
  rollouts.state('shop/api', { kind: 'invalid', errors: [] });
  expect(await metrics.render()).toMatch(/rollouts_stuck\{reason="refused"\} 1\n.*invalid"\} 1/s);
  rollouts.state('shop/web', undefined);
  expect(await metrics.render()).toMatch(/rollouts_stuck\{reason="refused"\} 0\n.*invalid"\} 1/s);
  rollouts.clear();
  expect(await metrics.render()).toMatch(/rollouts_stuck\{reason="refused"\} 0\n.*invalid"\} 0/s);
});

describe('feature gates', () => {
  const gate = 'EnforcedRollingUpdateInStatefulSet';
  it.each([
    ['', { ok: true, gates: { [gate]: true } }],
    [`${gate}=false`, { ok: true, gates: { [gate]: false } }],
    [` ${gate} = true ,`, { ok: true, gates: { [gate]: true } }],
    [`${gate}=no`, { ok: false, problem: `${gate} must be true or false` }],
    [gate, { ok: false, problem: `${gate} must be true or false` }],
    ['Other=true', { ok: false, problem: `Other is not a feature gate; there is ${gate}` }],
    ['toString=true', { ok: false, problem: `toString is not a feature gate; there is ${gate}` }],
  ])('%j', (text, wanted) => expect(parseFeatureGates(text)).toEqual(wanted));
});
