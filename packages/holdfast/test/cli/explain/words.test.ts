import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../../test/support/a-world.ts';
import { aPod, ns, type PodBuilder } from '../../../../../test/support/builders.ts';
import { type Asked, combinedAnswerOf, compare } from '../../../src/cli/explain/answer.ts';
import { type BuiltinBudget, builtinAnswer } from '../../../src/cli/explain/builtin-check.ts';
import { type DryRun, evictionDryRunOf } from '../../../src/cli/explain/dry-run.ts';
import { parseTargets } from '../../../src/cli/explain/target.ts';
import { ageText } from '../../../src/cli/output/age.ts';
import { blocker, deny } from '../../../src/core/decide/refusal.ts';
import type { Verdict } from '../../../src/core/verdict.ts';
import { failureOf } from '../../../src/kube/outcome/api-status.ts';
import type { BuiltinStatus } from '../../../src/observe/once/builtin-status.ts';

describe('a target', () => {
  it.each([
    [['pod/web-0'], { kind: 'pod', name: 'web-0' }],
    [['pods/web-0'], { kind: 'pod', name: 'web-0' }],
    [['po', 'web-0'], { kind: 'pod', name: 'web-0' }],
    [['node/a'], { kind: 'node', name: 'a' }],
    [['PodDisruptionBudget/llm'], { kind: 'pdb', name: 'llm' }],
    [['poddisruptionbudgets.policy/llm'], { kind: 'pdb', name: 'llm' }],
    [['podunavailablebudget/db'], { kind: 'pub', name: 'db' }],
  ] as const)('%j is understood', (given, target) => {
    expect(parseTargets(given)).toEqual([target]);
  });

  it.each([
    [['pod'], 'is not KIND/NAME'],
    [['pod/'], 'is not KIND/NAME'],
    [['pod/a/b'], 'is not KIND/NAME'],
    [['pod', 'a', 'node/b'], 'is not KIND/NAME'],
    [['pod/a', 'b'], 'is not KIND/NAME'],
    [['service/a'], 'cannot explain "service"'],
    [['constructor/a'], 'cannot explain "constructor"'],
    [['deploy'], 'cannot explain "deploy"'],
  ] as const)('%j is refused, and what could be said instead is named', (given, message) => {
    expect(() => parseTargets(given)).toThrow(expect.objectContaining({ advice: expect.stringContaining('pod/NAME') }));
    expect(() => parseTargets(given)).toThrow(message);
  });

  it.each([[['pod/a', 'pod/b', 'node/c']], [['pod/a', 'pods/b', 'no/c']]] as const)('%j are several', (given) => {
    const pods = [
      { kind: 'pod', name: 'a' },
      { kind: 'pod', name: 'b' },
    ];
    expect(parseTargets(given)).toEqual([...pods, { kind: 'node', name: 'c' }]);
    expect(parseTargets(['pod', 'a', 'b'])).toEqual(pods);
  });
});

describe("Kubernetes' own check", () => {
  const status: BuiltinStatus = {
    generation: 1,
    observedGeneration: 1,
    disruptionsAllowed: 1,
    currentHealthy: 3,
    desiredHealthy: 2,
    expectedPods: 3,
  };
  const pdb = (more: Partial<BuiltinStatus> = {}, unhealthy: BuiltinBudget['unhealthy'] = 'ifHealthyBudget') => ({
    name: 'web',
    status: { ...status, ...more },
    unhealthy,
  });
  const none = { disruptionsAllowed: 0, currentHealthy: 2 };
  const web = aPod('web');

  it.each<readonly [string, PodBuilder, readonly BuiltinBudget[], boolean, string]>([
    ['nothing selects it', web, [], true, 'no PodDisruptionBudget selects the pod'],
    ['the budget has room', web, [pdb()], true, 'pdb/web allows 1 more (3 of 3 pods ready, 2 needed)'],
    ['the budget has none', web, [pdb(none)], false, 'pdb/web allows none (2 of 3 pods ready, 2 needed)'],
    ['there are two', web, [pdb(), { ...pdb(), name: 'also' }], false, '2 PodDisruptionBudgets select the pod'],
    ['its status is old', web, [pdb({ generation: 2 })], false, 'Kubernetes has not processed the change yet'],
    ['its status is not known', web, [{ ...pdb(), status: undefined }], false, 'could not be read'],
    ['it goes already', web.terminating(), [pdb(none)], true, 'being deleted already'],
    ['it has finished', web.phase('Succeeded'), [pdb(none)], true, 'has finished'],
    ['it does not run', web.phase('Pending'), [pdb(none)], true, 'does not run yet'],
    ['it is broken, and the budget is met', web.notReady(), [pdb(none)], true, 'is met without it'],
    ['it is broken, and the budget is not met', web.notReady(), [pdb({ ...none, currentHealthy: 1 })], false, 'none'],
    ['it is broken, and nothing is needed', web.notReady(), [pdb({ ...none, desiredHealthy: 0 })], false, 'none'],
    [
      'such pods may always go',
      web.notReady(),
      [pdb({ ...none, currentHealthy: 1 }, 'always')],
      true,
      'lets such pods go',
    ],
  ])('where %s', (_, pod, budgets, allows, text) => {
    const record = aWorld({ pods: [pod] }).pod(ns, 'web');
    if (record === undefined) throw new Error('the pod is there');
    const answer = builtinAnswer(record, budgets);
    expect(answer.allows).toBe(allows);
    expect(answer.text).toContain(text);
  });
});

const pod = { name: 'web' };
const no: Verdict = deny([blocker('ProbeVeto', { pod })]);
const yes = (complete: 'takeover' | 'pass'): Verdict => ({
  result: 'allow',
  reason: 'WithinBudget',
  charges: [],
  effects: { complete, target: { pod: 'web', uid: 'uid-web' } },
});
const allows = { allows: true, text: 'it allows 1' };
const refuses = { allows: false, text: 'it allows none' };
const asked: Asked = { kind: 'yes' };
const notAsked: Asked = { kind: 'no', why: 'it is off' };
const unclear: Asked = { kind: 'unknown', why: 'who knows' };

describe('the answer', () => {
  it.each([
    ['we refuse', no, allows, asked, false, 'holdfast'],
    ['we allow and complete it, whatever the built-in check says', yes('takeover'), refuses, asked, true, 'holdfast'],
    ['we allow, and the built-in check comes after us', yes('pass'), refuses, asked, false, 'kubernetes'],
    ['both allow', yes('pass'), allows, asked, true, 'kubernetes'],
    ['we are not asked', no, allows, notAsked, true, 'kubernetes'],
    ['we are not asked, and the built-in check refuses', yes('takeover'), refuses, notAsked, false, 'kubernetes'],
    ['we may be asked', no, allows, unclear, false, 'holdfast'],
  ] as const)('where %s', (_, ours, builtin, how, may, by) => {
    expect(combinedAnswerOf(ours, builtin, how)).toMatchObject({ may, by });
  });
});

describe('what the API server says to a dry run', () => {
  const allowed: DryRun = { kind: 'allowed' };
  const byUs: DryRun = { kind: 'refused', by: 'webhook', code: 429, message: 'admission webhook ...' };
  const byIt: DryRun = { kind: 'refused', by: 'builtin', code: 429, message: 'Cannot evict pod ...' };

  it.each([
    ['agrees: all say yes', yes('pass'), allows, asked, allowed, 'agrees'],
    ['agrees: we say no', no, allows, asked, byUs, 'agrees'],
    ['agrees: a dry run is never completed by us', yes('takeover'), refuses, asked, byIt, 'agrees'],
    ['agrees: the built-in check says no', yes('pass'), refuses, asked, byIt, 'agrees'],
    ['agrees: we would say no, and are not asked', no, allows, notAsked, allowed, 'agrees'],
    ['disagrees: it lets go what we would not', no, allows, asked, allowed, 'disagrees'],
    ['disagrees: the same where it is unknown whether we are asked', no, allows, unclear, allowed, 'disagrees'],
    ['disagrees: we are said to refuse, and do not', yes('takeover'), allows, asked, byUs, 'disagrees'],
    ['disagrees: it refuses, and we were not the ones', no, allows, asked, byIt, 'disagrees'],
    [
      'disagrees: another webhook refuses what the built-in check would',
      yes('pass'),
      refuses,
      asked,
      byUs,
      'disagrees',
    ],
    ['says nothing where it was not asked', no, allows, asked, { kind: 'skipped' }, 'none'],
    ['says nothing where one may not ask', no, allows, asked, { kind: 'denied', why: 'no' }, 'none'],
  ] as const)('%s', (_, ours, builtin, how, said, kind) => {
    expect(compare(ours, builtin, how, said).kind).toBe(kind);
  });

  it('says that a completed eviction goes through, where the dry run is refused', () => {
    expect(compare(yes('takeover'), refuses, asked, byIt)).toMatchObject({
      text: expect.stringContaining('a real eviction goes through'),
    });
  });

  const status = (code: number, message: string) =>
    failureOf(code, JSON.stringify({ kind: 'Status', code, message }), undefined);
  it.each([
    ['a budget', status(429, 'Cannot evict pod as it would violate'), { kind: 'refused', by: 'builtin', code: 429 }],
    [
      'two budgets',
      status(500, 'This pod has more than one PodDisruptionBudget, which ...'),
      { kind: 'refused', by: 'builtin' },
    ],
    [
      'us',
      status(429, 'admission webhook "eviction.holdfast.dev" denied the request: x'),
      { kind: 'refused', by: 'webhook' },
    ],
    [
      'a policy',
      status(403, 'admission webhook "policy.example.com" denied the request: x'),
      { kind: 'refused', by: 'webhook' },
    ],
    [
      'no operator that answers',
      status(500, 'Internal error occurred: failed calling webhook "x": y'),
      { kind: 'refused', by: 'webhook' },
    ],
    ['missing rights', status(403, 'pods "web" is forbidden: User "u" cannot create resource'), { kind: 'denied' }],
    ['a server in trouble', status(503, 'shutting down'), { kind: 'failed' }],
    ['a pod that is gone', status(404, 'pods "web" not found'), { kind: 'failed' }],
  ] as const)('is told apart: %s', (_, failure, wanted) => {
    expect(evictionDryRunOf({ ok: false, failure })).toMatchObject(wanted);
  });
});

describe('an age', () => {
  it.each([
    [0, '0s'],
    [-5_000, '0s'],
    [119_400, '119s'],
    [125_000, '2m5s'],
    [7_199_000, '119m59s'],
    [7_260_000, '2h1m'],
    [172_800_000, '2d'],
    [180_000_000, '2d2h'],
    [Number.POSITIVE_INFINITY, 'an unknown time'],
  ])('%d ms is %s', (ms, text) => {
    expect(ageText(ms)).toBe(text);
  });
});
