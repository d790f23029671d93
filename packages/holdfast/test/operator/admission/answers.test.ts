import { describe, expect, it } from 'vitest';
import { invalid, required } from '../../../../base/src/field-errors.ts';
import { passCodes, type RefusalCode, refusalCodes } from '../../../src/api/refusals/reasons.ts';
import { blocker, deny } from '../../../src/core/decide/refusal.ts';
import {
  answerBad,
  answerBlind,
  answerInvalid,
  answerUnavailable,
  answerVerdict,
} from '../../../src/operator/admission/answers.ts';
import { type AdmissionAnswer, encodeAnswer } from '../../../src/operator/admission/wire/review.ts';

const pod = { namespace: 'shop', name: 'web-0' };
const budget = { kind: 'PodDisruptionBudget', namespace: 'shop', name: 'llm' } as const;

const written = (answer: AdmissionAnswer) => JSON.parse(encodeAnswer('u1', answer)).response;

describe('a verdict', () => {
  it.each(refusalCodes)('[I8] that refuses with %s is a 429 with a cause that names it', (code) => {
    const denied = deny([
      blocker(code, { pod, budget, unit: 'g1', unitKind: 'group', available: 1, desired: 1, detail: 'd' }),
    ]);
    const response = written(answerVerdict(denied, pod));
    expect(response).toMatchObject({
      uid: 'u1',
      allowed: false,
      status: { status: 'Failure', code: 429, reason: 'TooManyRequests', message: denied.message },
    });
    expect(response.status.details.causes[0]).toMatchObject({ reason: 'DisruptionBudget', field: code });
    expect(response.status.details).not.toHaveProperty('retryAfterSeconds');
  });

  it.each(passCodes)('that allows with %s is allowed without a word', (reason) => {
    const answer = answerVerdict({ result: 'allow', reason, charges: [], effects: { complete: 'pass' } }, pod);
    expect(written(answer)).toEqual({ uid: 'u1', allowed: true });
  });

  it('[I12] has one cause for each reason, and hints that no program takes for a budget', () => {
    const denied = deny([blocker('ProbeVeto', { pod }), blocker('NotSynced', { pod, detail: 'pods' })]);
    const { causes } = written(answerVerdict(denied, pod)).status.details;
    expect(causes.map((cause: Record<string, unknown>) => [cause['reason'], cause['field']])).toEqual([
      ['DisruptionBudget', 'ProbeVeto'],
      ['DisruptionBudget', 'NotSynced'],
      ['RetryHint', undefined],
      ['Hint', undefined],
    ]);
  });

  it.each<readonly [string, readonly RefusalCode[], string]>([
    ['only we did not know enough', ['NotSynced', 'CacheStale'], 'worth another try in 1 second'],
    ['a budget is spent', ['BudgetExhausted'], 'worth another try in 5 seconds'],
    [
      'a budget is spent, and we did not know enough',
      ['NotSynced', 'BudgetExhausted'],
      'worth another try in 5 seconds',
    ],
    ['a person has to correct something', ['BudgetExhausted', 'BudgetInvalid'], 'worth another try in 30 seconds'],
  ])('says when to come back where %s', (_, codes, message) => {
    const denied = deny(codes.map((code) => blocker(code, { pod, budget, detail: 'd' })));
    const { causes } = written(answerVerdict(denied, pod)).status.details;
    expect(causes.at(-2)).toEqual({ reason: 'RetryHint', message });
  });

  it.each([
    ['an eviction', undefined, 'holdfast explain pod/web-0 -n shop'],
    ['an eviction that is called so', 'EVICT', 'holdfast explain pod/web-0 -n shop'],
    ['a delete', 'DELETE', 'holdfast explain pod/web-0 -n shop --operation delete'],
    ['an update', 'UPDATE', 'holdfast explain pod/web-0 -n shop --operation update'],
    ['a resize', 'RESIZE', 'holdfast explain pod/web-0 -n shop --operation resize'],
  ] as const)('says what tells more: after %s', (_, operation, message) => {
    const denied = deny([blocker('ProbeVeto', { pod }), blocker('BudgetExhausted', { pod, budget })]);
    const subject = operation === undefined ? pod : { ...pod, operation };
    expect(written(answerVerdict(denied, subject)).status.details.causes.at(-1)).toEqual({ reason: 'Hint', message });
  });

  it('with very many reasons stays small', () => {
    const denied = deny(Array.from({ length: 500 }, () => blocker('ProbeVeto', { pod })));
    expect(written(answerVerdict(denied, pod)).status.details.causes).toHaveLength(22);
  });
});

describe('[I4] doubt', () => {
  it.each(['NotSynced', 'LedgerUnknown', 'CacheStale'] as const)('about a protected pod is "not now": %s', (code) => {
    const { status } = written(answerBlind(pod, false, code, 'the ledger did not answer'));
    expect(status).toMatchObject({ code: 429, reason: 'TooManyRequests' });
    expect(status.message).toContain('the ledger did not answer');
    expect(status.details.causes[0]).toMatchObject({ reason: 'DisruptionBudget', field: code });
  });

  it('about a pod that nothing protects lets it pass', () => {
    expect(written(answerBlind(pod, true, 'LedgerUnknown', 'x'))).toEqual({ uid: 'u1', allowed: true });
  });
});

describe('an object', () => {
  const object = { group: 'policy.kruise.io', kind: 'PodUnavailableBudget', name: 'web' };

  it('that is not valid is refused in the words of the API server', () => {
    const { status } = written(answerInvalid(object, [required('spec.selector', 'must be set')]));
    expect(status).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'PodUnavailableBudget.policy.kruise.io "web" is invalid: spec.selector: Required value: must be set',
      details: {
        causes: [{ reason: 'FieldValueRequired', field: 'spec.selector', message: 'Required value: must be set' }],
      },
    });
  });

  it('with several mistakes lists them', () => {
    const errors = [required('a', 'x'), invalid('b', 5, 'y')];
    const { status } = written(answerInvalid({ ...object, group: '' }, errors));
    expect(status.message).toBe(
      'PodUnavailableBudget "web" is invalid: [a: Required value: x, b: Invalid value: 5: y]',
    );
    expect(status.details.causes).toHaveLength(2);
  });

  it('with very many mistakes counts the rest', () => {
    const { status } = written(
      answerInvalid(
        object,
        Array.from({ length: 25 }, (_, index) => required(`f${index}`, '')),
      ),
    );
    expect(status.message).toMatch(/, and 5 more\]$/);
    expect(status.details.causes).toHaveLength(20);
  });

  it('without mistakes is allowed', () => {
    expect(written(answerInvalid(object, []))).toEqual({ uid: 'u1', allowed: true });
  });
});

describe('an answer on the wire', () => {
  it('is a 400 for what cannot be understood', () => {
    expect(written(answerBad('no')).status).toMatchObject({ code: 400, reason: 'BadRequest', message: 'no' });
  });

  it('is a 503 for what failed and is no disruption', () => {
    expect(written(answerUnavailable('no')).status).toMatchObject({ code: 503, reason: 'ServiceUnavailable' });
  });

  it.each([
    [0, undefined],
    [undefined, undefined],
    [1.5, 2],
  ])('with retryAfterSeconds %s carries %s', (given, expected) => {
    const base = { allowed: false, code: 429, reason: 'TooManyRequests', message: 'm' } as const;
    const { status } = written(given === undefined ? base : { ...base, retryAfterSeconds: given });
    expect(status.details?.retryAfterSeconds).toBe(expected);
  });

  it('carries a patch as base64', () => {
    const patch = [{ op: 'add', path: '/metadata/annotations/a~1b', value: 'ž"' }] as const;
    const response = written({ allowed: true, patch });
    expect(response).toMatchObject({ allowed: true, patchType: 'JSONPatch' });
    expect(JSON.parse(Buffer.from(response.patch, 'base64').toString())).toEqual(patch);
    expect(written({ allowed: true, patch: [] })).toEqual({ uid: 'u1', allowed: true });
  });

  it('carries warnings, as many and as long as API servers take', () => {
    const { warnings } = written({ allowed: true, warnings: Array.from({ length: 20 }, () => 'w'.repeat(300)) });
    expect(warnings).toHaveLength(16);
    expect(warnings[0]).toBe(`${'w'.repeat(253)}...`);
    expect(written({ ...answerBad('no'), warnings: ['careful'] })).toMatchObject({
      allowed: false,
      warnings: ['careful'],
    });
  });

  it('is JSON, whatever the texts are', () => {
    const text = '"}\n\\\u2028\ud800';
    const answer = {
      allowed: false,
      code: 429,
      reason: text,
      message: text,
      causes: [{ reason: text, message: text }],
    } as const;
    expect(JSON.parse(encodeAnswer(text, answer)).response).toMatchObject({
      uid: text,
      status: { message: text, reason: text },
    });
  });
});
