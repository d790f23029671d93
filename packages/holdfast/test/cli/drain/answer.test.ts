import { describe, expect, it } from 'vitest';
import { ask, aWorld } from '../../../../../test/support/a-world.ts';
import { aPod } from '../../../../../test/support/builders.ts';
import { pubFor } from '../../../../../test/support/fleet.ts';
import { evictionAnswerOf } from '../../../src/cli/drain/answer.ts';
import { failureOf } from '../../../src/kube/outcome/api-status.ts';
import { answerVerdict } from '../../../src/operator/admission/answers.ts';

/** What an API server answers, read as the client reads it. */
function answer(code: number, status: object = {}, retryAfter?: string) {
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message: 'said so', ...status };
  return evictionAnswerOf({ ok: false, failure: failureOf(code, JSON.stringify(body), retryAfter) });
}

const causes = (...list: readonly object[]) => ({ details: { causes: list } });

describe('what an answer to an eviction means', () => {
  it.each([
    ['404: it is gone', 404, {}, undefined, { kind: 'gone' }],
    ['429: not now', 429, {}, undefined, { kind: 'refused', message: 'said so' }],
    ['429 with a header', 429, {}, '10', { kind: 'refused', message: 'said so', retryAfterMs: 10_000 }],
    ['429 with a header of 0, which says nothing', 429, {}, '0', { kind: 'refused', message: 'said so' }],
    [
      '429 with retryAfterSeconds alone',
      429,
      { details: { retryAfterSeconds: 7 } },
      undefined,
      { kind: 'refused', message: 'said so', retryAfterMs: 7_000 },
    ],
    [
      '429 with a hint of ours',
      429,
      causes({ reason: 'RetryHint', message: 'worth another try in 30 seconds' }),
      '0',
      { kind: 'refused', message: 'said so', retryAfterMs: 30_000 },
    ],
    [
      '429 with a header beyond all measure',
      429,
      {},
      '999999',
      { kind: 'refused', message: 'said so', retryAfterMs: 3_600_000 },
    ],
    [
      '429 of the built-in check, whose numbers are in a cause',
      429,
      causes({
        reason: 'DisruptionBudget',
        message: 'The disruption budget web needs 2 healthy pods and has 2 currently',
      }),
      undefined,
      { kind: 'refused', message: 'The disruption budget web needs 2 healthy pods and has 2 currently' },
    ],
    ['500: there is no verdict', 500, {}, undefined, { kind: 'failed', message: 'said so' }],
    ['503 with a header', 503, {}, '3', { kind: 'failed', message: 'said so', retryAfterMs: 3_000 }],
    [
      '409: a list tells whether it is another pod',
      409,
      { reason: 'Conflict' },
      undefined,
      { kind: 'failed', message: 'said so' },
    ],
    ['403: never', 403, {}, undefined, { kind: 'impossible', message: 'said so' }],
    [
      '403 because the namespace is going',
      403,
      causes({ reason: 'NamespaceTerminating', message: 'going' }),
      undefined,
      { kind: 'refused', message: 'said so' },
    ],
    [
      '403 of a webhook: not now, as Kruise says it',
      403,
      { message: 'admission webhook "vpod.kb.io" denied the request: no' },
      undefined,
      { kind: 'refused', message: 'admission webhook "vpod.kb.io" denied the request: no' },
    ],
    ['401: never', 401, {}, undefined, { kind: 'impossible', message: 'said so' }],
    ['400: never', 400, {}, undefined, { kind: 'impossible', message: 'said so' }],
    ['422: never', 422, {}, undefined, { kind: 'impossible', message: 'said so' }],
  ] as const)('%s', (_, code, status, retryAfter, want) => {
    expect(answer(code, status, retryAfter)).toEqual(want);
  });

  it('201: accepted', () => {
    expect(evictionAnswerOf({ ok: true, value: {} })).toEqual({ kind: 'accepted' });
  });

  it('none, because the drain was stopped: nothing', () => {
    expect(evictionAnswerOf({ ok: false, failure: { kind: 'aborted', message: '', maybeDone: true } })).toBeUndefined();
  });

  it.each(['connection', 'deadline', 'garbled', 'credentials', 'limited'] as const)(
    'a %s that failed: try again',
    (cause) => {
      const failure = { kind: 'retry', cause, message: 'said so', retryAfterMs: undefined, maybeDone: true } as const;
      expect(evictionAnswerOf({ ok: false, failure })).toEqual({ kind: 'failed', message: 'said so' });
    },
  );

  it('reads the hint and the sentence that our own webhook writes', () => {
    const pod = aPod('web-0').labels({ app: 'web' });
    const world = aWorld({ pods: [pod], pubs: [pubFor('web', { minAvailable: 1 })] });
    const said = answerVerdict(ask(world, 'EVICT', 'web-0'), { namespace: 'shop', name: 'web-0' });
    if (said.allowed) throw new Error('it is refused');
    const { message, causes: list } = said;
    const status = {
      message: `admission webhook "eviction.holdfast.dev" denied the request: ${message}`,
      ...causes(...(list ?? [])),
    };
    expect(answer(429, status, '0')).toEqual({ kind: 'refused', message, retryAfterMs: 30_000 });
  });
});
