import { describe, expect, it } from 'vitest';
import { requestInfo } from '../../src/http/request-info.ts';
import { checkTimeout } from '../../src/http/request-timeout.ts';

function check(path: string, timeout: string, others: Record<string, string> = {}): void {
  const query = new URLSearchParams({ timeout, ...others });
  checkTimeout(requestInfo('GET', path, query), query);
}

describe('the time that a client gives', () => {
  it.each(['', '0', '0s', '32s', '1h15m30.5s', '-1.5h', '.5s', '10µs'])('may be %j', (timeout) => {
    expect(() => check('/api/v1/pods', timeout)).not.toThrow();
  });

  it.each([
    ['invalid', 'invalid duration "invalid"'],
    ['+', 'invalid duration "+"'],
    ['10', 'missing unit in duration "10"'],
    ['1s10', 'missing unit in duration "1s10"'],
    ['3x', 'unknown unit "x" in duration "3x"'],
    ['1s ', 'unknown unit "s " in duration "1s "'],
  ])('may not be %j', (timeout, problem) => {
    const message = `invalid timeout specified in the request URL - time: ${problem}`;
    const refusal = expect.objectContaining({ message, status: expect.objectContaining({ code: 400 }) });
    expect(() => check('/version', timeout)).toThrow(refusal);
    expect(() => check('/api/v1/pods', timeout)).toThrow(refusal);
  });

  it('is not read where a request lasts as long as it likes', () => {
    expect(() => check('/api/v1/namespaces/a/pods/b/log', 'invalid')).not.toThrow();
    expect(() => check('/api/v1/pods', 'invalid', { watch: 'true' })).not.toThrow();
  });
});
