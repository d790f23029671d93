import { describe, expect, test } from 'vitest';
import { failureOf } from '../../../src/kube/outcome/api-status.ts';
import { problemOf, problemText } from '../../../src/observe/problem.ts';

const said = (reason: string, more: object = {}) =>
  JSON.stringify({ kind: 'Status', reason, message: `m ${reason}`, ...more });

describe('what a refusal means to the caller', () => {
  test.each([
    [404, said('NotFound'), { kind: 'notFound', message: 'm NotFound' }],
    [404, '404 page not found', { kind: 'notFound', message: 'the server answered 404: 404 page not found' }],
    [409, said('AlreadyExists'), { kind: 'alreadyExists' }],
    [409, said('Conflict'), { kind: 'conflict' }],
    [410, said('Expired'), { kind: 'gone' }],
    [401, said('Unauthorized'), { kind: 'denied' }],
    [403, said('Forbidden'), { kind: 'denied' }],
    [400, said('BadRequest'), { kind: 'rejected' }],
    [422, said('Invalid'), { kind: 'rejected' }],
    [301, '', { kind: 'rejected', message: 'the server answered 301' }],
    [429, said('TooManyRequests'), { kind: 'tooManyRequests', retryAfterMs: undefined }],
    [500, said('InternalError'), { kind: 'retry', cause: 'server', maybeDone: true }],
    [503, '<html>', { kind: 'retry', cause: 'server', message: 'the server answered 503: <html>' }],
    [504, said('Timeout'), { kind: 'retry', cause: 'server' }],
  ])('%d %s', (code, text, expected) => {
    expect(failureOf(code, text, undefined)).toMatchObject({ code, ...expected });
  });

  test('words of others come without control characters, wherever they are', () => {
    const evil = 'no\u001b]0;owned\u0007 \u001b[2J\u009b31m\rfine\u202e';
    const plain = 'no\ufffd]0;owned\ufffd \ufffd[2J\ufffd31m\ufffdfine\ufffd';
    const causes = [{ reason: 'DisruptionBudget', message: evil, field: 'x' }];
    const failure = failureOf(403, JSON.stringify({ kind: 'Status', message: evil, details: { causes } }), undefined);
    expect(failure).toMatchObject({
      message: plain,
      status: { message: plain, details: { causes: [{ reason: 'DisruptionBudget', message: plain, field: 'x' }] } },
    });
    expect(problemText(problemOf(failure, 'cannot evict'))).toBe(
      `error: cannot evict: ${plain}\nAsk for the right to read it, or choose another --context or -n NAMESPACE.\n`,
    );
    expect(failureOf(502, `<html>${evil}`, undefined).message).toBe(`the server answered 502: <html>${plain}`);
    expect(failureOf(422, said('Invalid', { message: 'a\nb\tc' }), undefined).message).toBe('a\nb\tc');
  });

  test('the delay comes from the header, else from the details, and never from nonsense', () => {
    const detailed = said('TooManyRequests', { details: { retryAfterSeconds: 7 } });
    expect(failureOf(429, detailed, undefined)).toMatchObject({ retryAfterMs: 7_000 });
    expect(failureOf(429, detailed, '2')).toMatchObject({ retryAfterMs: 2_000 });
    expect(failureOf(429, detailed, '0')).toMatchObject({ retryAfterMs: 0 });
    expect(failureOf(503, '', '-5')).toMatchObject({ retryAfterMs: undefined });
    expect(failureOf(503, '', 'Wed, 21 Oct 2026 07:28:00 GMT')).toMatchObject({ retryAfterMs: undefined });
  });

  test('a long answer is quoted only in part', () => {
    expect(failureOf(502, 'x'.repeat(10_000), undefined).message.length).toBeLessThan(400);
  });
});
